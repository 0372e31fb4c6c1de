/*
 * The address of every page, in one place. Screens link with these and never spell an address; routes.ts of a resource
 * declares the same addresses with `$name` for their parameters.
 */
const part = encodeURIComponent
const compute = '/compute'

const resource = (base: string) => ({
  list: () => base,
  add: () => `${base}/add`,
  view: (id: string) => `${base}/${part(id)}`,
  edit: (id: string) => `${base}/${part(id)}/edit`,
  tab: (id: string, tab: string) => `${base}/${part(id)}/${tab}`,
})

const instances = `${compute}/instances`
const images = `${compute}/images`
const volumes = `${compute}/volumes`

export const paths = {
  home: () => '/',
  login: (domain?: string | null) => (domain ? `/login/${part(domain)}` : '/login'),
  handOver: { success: () => '/auth/success', failed: () => '/auth/failed' },
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
  compute: () => compute,
  instances: {
    ...resource(instances),
    /** `subject`: what is edited, as in S1§2. */
    editSubject: (id: string, subject: string) => `${instances}/${part(id)}/edit/${subject}`,
    addStep: (step: string) => `${instances}/add/${step}`,
    console: (id: string) => `${compute}/servers/instances/${part(id)}/console`,
  },
  images: {
    ...resource(images),
    /** `returnRoute`: where closing leads, the list unless given. */
    createVolume: (id: string, returnRoute?: 'image') =>
      `${images}/${part(id)}/create-volume${returnRoute === undefined ? '' : `/${returnRoute}`}`,
  },
  volumes: {
    ...resource(volumes),
    attach: (id: string) => `${volumes}/${part(id)}/attach`,
    extend: (id: string) => `${volumes}/${part(id)}/extend`,
  },
  sshKeys: { ...resource(`${compute}/ssh-keys`), generate: () => `${compute}/ssh-keys/generate` },
  serverGroups: resource(`${compute}/server-groups`),
  placements: {
    ...resource(`${compute}/placements`),
    /** `carrier`: nodes, images or flavors. */
    assign: (id: string, carrier: string) => `${compute}/placements/${part(id)}/assign/${carrier}`,
  },
  networks: resource(`${compute}/networks`),
  tasks: () => '/tasks',
  engines: () => '/engines',
} as const
