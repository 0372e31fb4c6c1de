/* Paths of the shell's own pages; resources define theirs in `resource.ts`. */
const part = encodeURIComponent

export const paths = {
  home: () => '/',
  login: (domain?: string | null) => (domain ? `/login/${part(domain)}` : '/login'),
  handOver: { success: () => '/auth/success', failed: () => '/auth/failed' },
  /** The token is in the fragment, which is never sent to a server and does not appear in logs. */
  passwordLink: (token: string) => `/password-link#${token}`,
  monitoring: () => '/monitoring',
  noService: () => '/no-service',
  s3: () => '/s3-storage',
  users: () => '/users',
  projects: () => '/projects',
  error: {
    generic: () => '/error',
    forbidden: () => '/error403',
    notFound: () => '/error404',
    server: () => '/error500',
    unavailable: () => '/error503',
    reconfiguration: () => '/service-unavailable',
    accessDisabled: () => '/access-disabled',
    serviceDisabled: () => '/error-service-disabled',
  },
} as const
