import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Id } from '../core/names'
import { MAX_LIMIT } from '../core/lists/paging'
import { NewPassword } from './password-rules'

/** The signed-in user (S1§3). `token` is unscoped; `scoped_token` is scoped to the chosen project, if any. */
export const CurrentUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  domain_id: z.string(),
  domain_name: z.string(),
  project_id: z.string().nullable(),
  roles: z.array(z.string()),
  is_superuser: z.boolean(),
  token: z.string().nullable().describe('Only in the response to a sign-in.'),
  scoped_token: z.string().nullable(),
  /** ID of the identity provider of the session; null after a sign-in with a password. */
  external_provider: z.string().nullable(),
  /** Whether the provider supports sign-out through `logoutAtProvider`. */
  provider_sign_out: z.boolean(),
})
export type CurrentUser = z.infer<typeof CurrentUser>

/**
 * Identified by its ID, or by its name together with username and domain. For programs: it requires no password and
 * gives access to one project.
 */
export const ApplicationCredential = z.strictObject({
  id: z.string().min(1, says('core.id_is_missing')).max(255).optional(),
  name: z.string().min(1, says('core.enter_name')).max(255).optional(),
  secret: z.string().min(1, says('identity.enter_secret')).max(1024),
})
export type ApplicationCredential = z.infer<typeof ApplicationCredential>

/** Username and password, or an application credential instead of the password. */
export const Login = z
  .strictObject({
    username: z.string().min(1, says('core.enter_username')).max(255).optional(),
    password: z.string().min(1, says('core.enter_password')).max(1024).optional(),
    /** Name of the domain. Default: the default domain (admin panel). */
    domain: z.string().max(255).optional(),
    application_credential: ApplicationCredential.optional(),
  })
  .superRefine(({ username, password, application_credential: credential }, { addIssue }) => {
    const fault = (path: string[], message: RuleText) => addIssue({ code: 'custom', path, message })
    const needsUser = !credential || credential.id === undefined
    if (needsUser && username === undefined) fault(['username'], says('core.enter_username'))
    if (!credential && password === undefined) fault(['password'], says('core.enter_password'))
    if (credential && password !== undefined) fault(['password'], says('identity.no_password_with_credential'))
    if (credential && credential.id === undefined && credential.name === undefined)
      fault(['application_credential', 'id'], says('identity.credential_id_or_name'))
    if (credential?.id !== undefined && (credential.name !== undefined || username !== undefined))
      fault(['application_credential', 'id'], says('identity.credential_id_alone'))
  })
export type Login = z.infer<typeof Login>

/** Rules of S1§5 and S2§5. The server checks the same rules, and also refuses commonly guessed passwords. */
export const ChangePassword = z
  .strictObject({
    current_password: z.string().min(1, says('identity.enter_current_password')).max(1024),
    new_password: NewPassword,
    /** For forms only, to catch typing errors. */
    confirm_password: z.string().max(1024).optional(),
  })
  .refine((it) => it.new_password !== it.current_password, {
    path: ['new_password'],
    message: says('identity.password_is_current'),
  })
  .refine((it) => it.confirm_password === undefined || it.confirm_password === it.new_password, {
    path: ['confirm_password'],
    message: says('identity.passwords_differ'),
  })
export type ChangePassword = z.infer<typeof ChangePassword>

/** A project that the user belongs to. Disabled projects are listed but cannot be used. */
export const AccountProject = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  domain_id: z.string(),
  domain_name: z.string(),
  enabled: z.boolean(),
})
export type AccountProject = z.infer<typeof AccountProject>

export const Meta = z.object({
  permissions: z.record(z.string(), z.object({ name: z.string(), methods: z.array(z.string()) })),
  scope: z.object({
    kind: z.enum(['system', 'domain', 'project', 'none']),
    project_id: z.string().nullable(),
    project_name: z.string().nullable(),
    domain_id: z.string(),
  }),
  /** Availability of services, for the landing page and the menu. */
  services: z.object({
    compute: z.object({
      configured: z.boolean(),
      /** Message that tells users why compute is not configured, and what to install. */
      advice: z.string().nullable(),
      /** True for a simulated hypervisor; the console shows a notice. */
      simulated: z.boolean(),
      /** Whether resources can also be managed by Terraform, with the cloud's provider. Absent in older servers. */
      terraform: z.boolean().optional(),
    }),
    /** Whether users can get password links. A cloud that manages the passwords does not support them. */
    identity: z.object({ password_links: z.boolean() }),
    /** Whether deleted instances and volumes can be restored. Absent in older servers. */
    recycle_bin: z.object({ available: z.boolean() }).optional(),
    s3: z.object({ available: z.boolean() }),
  }),
  /** Quotas whose limits can be set with these engines, for projects and for domains. */
  settable_quotas: z.object({ of_projects: z.array(z.string()), of_domains: z.array(z.string()) }),
  /** Minutes of inactivity after which the console signs out the user; 0: never. */
  idle_timeout_minutes: z.number().int(),
  /** Differs between builds. The console offers to reload when it changes. */
  version: z.string(),
  /** Revision of the change log. A socket that resumes from it misses no changes made after this response. */
  revision: z.number().int(),
})
export type Meta = z.infer<typeof Meta>

/**
 * Information available before sign-in: the panel that this port serves. Public, so it must not reveal anything else.
 */
export const PanelInfo = z.object({
  panel: z.enum(['admin', 'self-service']),
  version: z.string(),
  /**
   * Origins of other sites that may embed forms from this panel in a frame and exchange messages with it. Absent in
   * older servers.
   */
  parent_origins: z.array(z.string()).optional(),
})

/**
 * Version of the API, independent of the product version. Clients use it to choose calls and bodies; from 7.0.50 on,
 * they expect everything that is served here.
 */
export const API_VERSION = '7.1.0'

/** Links that an installation can show in the About dialog. */
export const aboutLinks = ['docs', 'support', 'iso', 'contact', 'terms', 'product'] as const
export type AboutLink = (typeof aboutLinks)[number]

export const About = z.object({
  /** `version` is the API version. */
  'storage-release': z.object({ version: z.string(), release: z.string() }),
  /** Version of the product. */
  product: z.object({ version: z.string() }),
  /** URLs; links that are not configured are absent. Absent in older servers. */
  links: z.partialRecord(z.enum(aboutLinks), z.string()).optional(),
})

const accounts = '/api/v2/accounts'
export const session = endpoints({
  panel: {
    verb: 'GET',
    path: '/api/v2/panel',
    needs: 'public',
    summary: 'Get the panel that this address serves',
    reply: PanelInfo,
  },
  login: {
    verb: 'POST',
    path: '/api/v2/login',
    needs: 'public',
    summary: 'Sign in with a password or an application credential',
    body: Login,
    reply: CurrentUser,
  },
  logout: {
    verb: 'POST',
    path: '/api/v2/logout',
    needs: 'public',
    summary: 'Sign out. Ends the session and all its tokens.',
    reply: z.void(),
  },
  logoutAtProvider: {
    verb: 'POST',
    path: '/api/v2/logout/provider',
    needs: 'public',
    summary: 'Sign out at the identity provider, too. Returns the URL at which the browser signs out there.',
    reply: z.object({
      /** Null if the provider does not support sign-out. */
      address: z.string().nullable(),
    }),
  },
  whoami: {
    verb: 'GET',
    path: `${accounts}/whoami`,
    needs: 'signed-in',
    summary: 'Get the signed-in user',
    reply: CurrentUser,
  },
  projects: {
    verb: 'GET',
    path: `${accounts}/projects`,
    needs: 'signed-in',
    summary: 'List the projects that you can access',
    reply: z.object({ data: z.array(AccountProject) }),
  },
  computeProjects: {
    verb: 'GET',
    path: '/api/v2/compute/projects',
    needs: 'signed-in',
    summary: 'Find projects by name or ID. Returns the projects that you can access; operators find all projects.',
    query: z.strictObject({
      id: Id.optional(),
      name: z.string().max(255).optional(),
      domain_id: Id.optional(),
      marker: Id.optional().describe('ID of the last project on the previous page.'),
      limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(MAX_LIMIT),
    }),
    reply: z.object({ data: z.array(AccountProject) }),
  },
  anotherToken: {
    verb: 'POST',
    path: `${accounts}/auth`,
    needs: 'signed-in',
    summary: 'Create an unscoped token. For pages that have only the session cookie.',
    reply: z.object({ token: z.string() }),
  },
  enterProject: {
    verb: 'POST',
    path: `${accounts}/projects/:id/auth`,
    needs: 'signed-in',
    summary: 'Create a token for a project',
    reply: z.object({ token: z.string() }),
  },
  changePassword: {
    verb: 'PUT',
    path: `${accounts}/change-password`,
    needs: update('account'),
    summary: 'Change your password. Ends your other sessions.',
    body: ChangePassword,
    reply: z.void(),
  },
  meta: {
    verb: 'GET',
    path: '/api/v2/meta',
    needs: 'signed-in',
    summary: 'Get the permissions and the scope of the token',
    reply: Meta,
  },
  about: { verb: 'GET', path: '/api/v2/about', needs: read('about'), summary: 'Get version and release', reply: About },
  version: {
    verb: 'GET',
    path: '/api/v2/version',
    needs: 'signed-in',
    summary: 'Get the API version',
    reply: z.object({ version: z.string() }),
  },
})

export const ProjectId = Id
