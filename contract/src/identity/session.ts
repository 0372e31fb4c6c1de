import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Id } from '../core/names'
import { MAX_LIMIT } from '../core/lists/paging'
import { NewPassword } from './password-rules'

/** The signed-in user (S1§3). `token` is unscoped, `scoped_token` belongs to the project chosen, if one is. */
export const CurrentUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  domain_id: z.string(),
  domain_name: z.string(),
  project_id: z.string().nullable(),
  roles: z.array(z.string()),
  is_superuser: z.boolean(),
  token: z.string().nullable().describe('Only in the answer to a login'),
  scoped_token: z.string().nullable(),
  /** Id of the identity provider through which the user signed in; null for a password. */
  external_provider: z.string().nullable(),
  /** Whether that provider can be told that the user signs out: by `logoutAtProvider`. */
  provider_sign_out: z.boolean(),
})
export type CurrentUser = z.infer<typeof CurrentUser>

/** By its id, or by its name beside the user's name and domain. For programs: it needs no password and opens one project. */
export const ApplicationCredential = z.strictObject({
  id: z.string().min(1, says('core.id_is_missing')).max(255).optional(),
  name: z.string().min(1, says('core.enter_name')).max(255).optional(),
  secret: z.string().min(1, says('identity.enter_secret')).max(1024),
})
export type ApplicationCredential = z.infer<typeof ApplicationCredential>

/** A user's name with a password, or an application credential in the place of the password. */
export const Login = z
  .strictObject({
    username: z.string().min(1, says('core.enter_username')).max(255).optional(),
    password: z.string().min(1, says('core.enter_password')).max(1024).optional(),
    /** Name of the domain; the default domain where left out (admin panel). */
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

/** The rules of S1§5 and S2§5. The server checks the same, and that the new password is none that is guessed first. */
export const ChangePassword = z
  .strictObject({
    current_password: z.string().min(1, says('identity.enter_current_password')).max(1024),
    new_password: NewPassword,
    /** For forms; a program has nothing to mistype. */
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

/** A project that the user may enter. A disabled one is listed and cannot be entered. */
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
  /** What the landing page and the menu depend on. */
  services: z.object({
    compute: z.object({
      configured: z.boolean(),
      /** Why not, for people: what to install. */
      advice: z.string().nullable(),
      /** True for a hypervisor that only pretends; the console says so in plain sight. */
      simulated: z.boolean(),
      /** What is made here can be made by Terraform as well, with the provider of the cloud. An older server does not tell it. */
      terraform: z.boolean().optional(),
    }),
    /** Whether users can be given links with which they choose a password: a cloud that keeps the passwords knows none. */
    identity: z.object({ password_links: z.boolean() }),
    /** Whether deleted machines and volumes can be restored here. An older server does not tell it. */
    recycle_bin: z.object({ available: z.boolean() }).optional(),
    s3: z.object({ available: z.boolean() }),
  }),
  /** Quotas whose limits the engines let be set, of a project and of a domain as a whole. */
  settable_quotas: z.object({ of_projects: z.array(z.string()), of_domains: z.array(z.string()) }),
  /** Minutes after which the console signs out whoever is away; 0: never. */
  idle_timeout_minutes: z.number().int(),
  /** Changes with every build; the console offers to reload. */
  version: z.string(),
  /** Of the change log: a socket that resumes from here misses nothing of what is asked for after this answer. */
  revision: z.number().int(),
})
export type Meta = z.infer<typeof Meta>

/** Told before sign-in: which panel this port serves. Public, so it says no more than a stranger may know. */
export const PanelInfo = z.object({
  panel: z.enum(['admin', 'self-service']),
  version: z.string(),
  /** Of pages elsewhere that may hold forms of this panel in a frame, and send them messages. An older server tells none. */
  parent_origins: z.array(z.string()).optional(),
})

/**
 * Version of the API, which is not the product's: programs choose by it which calls and bodies they use. From 7.0.50 on
 * they expect all that is served here.
 */
export const API_VERSION = '7.1.0'

/** What an installation may link to from its About dialog. */
export const aboutLinks = ['docs', 'support', 'iso', 'contact', 'terms', 'product'] as const
export type AboutLink = (typeof aboutLinks)[number]

export const About = z.object({
  /** `version`: that of the API. */
  'storage-release': z.object({ version: z.string(), release: z.string() }),
  /** The product's own. */
  product: z.object({ version: z.string() }),
  /** Addresses; those that are not set are not there. An older server tells none. */
  links: z.partialRecord(z.enum(aboutLinks), z.string()).optional(),
})

const accounts = '/api/v2/accounts'
export const session = endpoints({
  panel: {
    verb: 'GET',
    path: '/api/v2/panel',
    needs: 'public',
    summary: 'Which panel this address serves',
    reply: PanelInfo,
  },
  login: {
    verb: 'POST',
    path: '/api/v2/login',
    needs: 'public',
    summary: 'Sign in with a password, or with an application credential',
    body: Login,
    reply: CurrentUser,
  },
  logout: {
    verb: 'POST',
    path: '/api/v2/logout',
    needs: 'public',
    summary: 'End the session and all its tokens',
    reply: z.void(),
  },
  logoutAtProvider: {
    verb: 'POST',
    path: '/api/v2/logout/provider',
    needs: 'public',
    summary: 'End the session, and say where the browser goes to sign out at the identity provider as well',
    reply: z.object({
      /** Null where the provider knows no signing out. */
      address: z.string().nullable(),
    }),
  },
  whoami: {
    verb: 'GET',
    path: `${accounts}/whoami`,
    needs: 'signed-in',
    summary: 'The signed-in user',
    reply: CurrentUser,
  },
  projects: {
    verb: 'GET',
    path: `${accounts}/projects`,
    needs: 'signed-in',
    summary: 'Projects that the user may enter',
    reply: z.object({ data: z.array(AccountProject) }),
  },
  computeProjects: {
    verb: 'GET',
    path: '/api/v2/compute/projects',
    needs: 'signed-in',
    summary: 'Projects that the user may enter, for operators all, to be found by name or id',
    query: z.strictObject({
      id: Id.optional(),
      name: z.string().max(255).optional(),
      domain_id: Id.optional(),
      marker: Id.optional().describe('The last id of the page before'),
      limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(MAX_LIMIT),
    }),
    reply: z.object({ data: z.array(AccountProject) }),
  },
  anotherToken: {
    verb: 'POST',
    path: `${accounts}/auth`,
    needs: 'signed-in',
    summary: 'Another token without a project, for a page whose session is known by its cookie alone',
    reply: z.object({ token: z.string() }),
  },
  enterProject: {
    verb: 'POST',
    path: `${accounts}/projects/:id/auth`,
    needs: 'signed-in',
    summary: 'A token for one project',
    reply: z.object({ token: z.string() }),
  },
  changePassword: {
    verb: 'PUT',
    path: `${accounts}/change-password`,
    needs: update('account'),
    summary: 'Change the own password; other sessions end',
    body: ChangePassword,
    reply: z.void(),
  },
  meta: { verb: 'GET', path: '/api/v2/meta', needs: 'signed-in', summary: 'What the token may do here', reply: Meta },
  about: { verb: 'GET', path: '/api/v2/about', needs: read('about'), summary: 'Version and release', reply: About },
  version: {
    verb: 'GET',
    path: '/api/v2/version',
    needs: 'signed-in',
    summary: 'Version of the API',
    reply: z.object({ version: z.string() }),
  },
})

export const ProjectId = Id
