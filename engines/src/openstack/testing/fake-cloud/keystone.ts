import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface FakePeople {
  users: { id: string; name: string; password: string; domain: { id: string; name: string }; enabled?: boolean }[]
  projects: { id: string; name: string; domain: { id: string; name: string } }[]
  /** Roles by user and project (or `system`). */
  assignments: { user: string; project: string; role: string }[]
  /** Roles by user and domain. */
  domainAssignments?: { user: string; domain: string; role: string }[]
  /** Users in a disabled domain cannot sign in. */
  domains?: { id: string; enabled: boolean }[]
  /** `roles`: the credential's roles; all roles of its user by default. */
  applicationCredentials: {
    id: string
    name?: string
    secret: string
    user: string
    project: string
    roles?: string[]
    access_rules?: object[]
  }[]
  tokenSeconds: number
}

export interface FakeFederation {
  provider: string
  protocol: string
  groups: string[]
}

export interface FakeToken {
  id: string
  user: FakePeople['users'][number]
  project: FakePeople['projects'][number] | null
  system: boolean
  roles: { id: string; name: string }[]
  /** Identity provider of a federated sign-in. */
  federation: FakeFederation | null
  application: FakePeople['applicationCredentials'][number] | null
  /** Milliseconds since the epoch. */
  issuedAt: number
  expiresAt: number
}

const Default = { id: 'default', name: 'Default' }
const usual: FakePeople = {
  users: [
    { id: 'u-service', name: 'mainstay', password: 'service-secret', domain: Default },
    { id: 'u-demo', name: 'demo', password: 'demo', domain: Default },
  ],
  projects: [
    { id: 'p-admin', name: 'admin', domain: Default },
    { id: 'p-demo', name: 'demo', domain: Default },
  ],
  assignments: [
    { user: 'u-service', project: 'p-admin', role: 'admin' },
    { user: 'u-service', project: 'system', role: 'admin' },
    { user: 'u-demo', project: 'p-demo', role: 'member' },
  ],
  applicationCredentials: [{ id: 'ac-service', secret: 'ac-secret', user: 'u-service', project: 'p-admin' }],
  tokenSeconds: 3600,
}

interface Received {
  verb: string
  headers: IncomingHttpHeaders
  body: unknown
  token: FakeToken | null
}
interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

type Named = { id?: string; name?: string }
interface AuthBody {
  auth?: {
    identity?: {
      methods?: string[]
      password?: { user?: Named & { password?: string } }
      token?: { id?: string }
      application_credential?: Named & { secret?: string; user?: Named & { domain?: Named } }
    }
    scope?: 'unscoped' | { project?: Named; domain?: Named; system?: object }
  }
}

const refusal = (status: number, message: string): Reply => ({
  status,
  body: {
    error: {
      code: status,
      message,
      title: status === 401 ? 'Unauthorized' : status === 403 ? 'Forbidden' : 'Not Found',
    },
  },
})
const noEntry = () => refusal(401, 'The request you have made requires authentication.')
const isMeant = (one: { id: string; name: string }, ref: Named | undefined) =>
  ref !== undefined && (ref.id === one.id || (ref.id === undefined && ref.name === one.name))

/** Issues and validates tokens: a handler for `/auth/tokens`, and a function to look up tokens. */
export function fakeKeystone(people: Partial<FakePeople>, catalogue: unknown[]) {
  const { users, projects, assignments, applicationCredentials, tokenSeconds } = { ...usual, ...people }
  const { domainAssignments = [], domains = [] } = people
  const isDisabled = ({ enabled, domain }: FakePeople['users'][number]): boolean =>
    enabled === false || domains.some((it) => it.id === domain.id && !it.enabled)
  const tokens = new Map<string, FakeToken>()

  const tokenOf = (id: string | string[] | undefined): FakeToken | null => {
    const token = typeof id === 'string' ? tokens.get(id) : undefined
    return token && token.expiresAt > Date.now() ? token : null
  }
  const federated = ({ provider, protocol, groups }: FakeFederation): object => ({
    'OS-FEDERATION': {
      identity_provider: { id: provider },
      protocol: { id: protocol },
      groups: groups.map((id) => ({ id })),
    },
  })
  const shown = (token: FakeToken): object => {
    const { user, project, system, roles, federation, application, issuedAt, expiresAt } = token
    return {
      token: {
        methods: ['password'],
        user: { id: user.id, name: user.name, domain: user.domain, ...(federation && federated(federation)) },
        issued_at: new Date(issuedAt).toISOString(),
        expires_at: new Date(expiresAt).toISOString(),
        ...(project && { project }),
        ...(system && { system: { all: true } }),
        // an unscoped token has neither roles nor a catalogue
        ...((project || system) && { roles, catalog: addressed(project?.id ?? '') }),
        ...(application && {
          application_credential: {
            id: application.id,
            restricted: true,
            ...(application.access_rules && { access_rules: application.access_rules }),
          },
        }),
      },
    }
  }
  const addressed = (projectId: string): unknown =>
    JSON.parse(JSON.stringify(catalogue).replaceAll('/PROJECT"', `/${projectId}"`))

  function whoIs({ auth }: AuthBody): Pick<FakeToken, 'federation' | 'application'> & {
    user: FakeToken['user'] | undefined
    until: number | null
  } {
    const nothing = { federation: null, application: null, until: null }
    const { password, token, application_credential: credential } = auth?.identity ?? {}
    if (credential) {
      const application = applicationCredentials.find((one) => {
        const owner = users.find(({ id }) => id === one.user)
        const isNamed =
          credential.id === one.id ||
          (credential.id === undefined && credential.name === one.name && owner && isMeant(owner, credential.user))
        return isNamed && credential.secret === one.secret
      })
      return { ...nothing, user: users.find(({ id }) => id === application?.user), application: application ?? null }
    }
    if (token) {
      const known = tokenOf(token.id)
      return { ...nothing, user: known?.user, federation: known?.federation ?? null, until: known?.expiresAt ?? null }
    }
    const user = users.find(
      (one) => isMeant(one, password?.user) && one.password === password?.user?.password && !isDisabled(one),
    )
    return { ...nothing, user }
  }

  const keep = (token: Omit<FakeToken, 'id' | 'issuedAt'>): FakeToken => {
    const made = { ...token, id: `gAAAA${randomBytes(24).toString('hex')}`, issuedAt: Date.now() }
    tokens.set(made.id, made)
    return made
  }

  function issue(body: AuthBody): Reply {
    const byToken = body.auth?.identity?.token
    // https://bugs.launchpad.net/keystone/+bug/2153453
    if (tokenOf(byToken?.id)?.application)
      return refusal(403, 'Using a delegated token to create another token is not allowed.')
    const { user, application, federation, until } = whoIs(body)
    if (!user) return byToken ? refusal(404, 'Failed to validate token') : noEntry()
    const scope = body.auth?.scope
    const wanted = typeof scope === 'object' ? scope : {}
    const project = projects.find((one) => one.id === application?.project || isMeant(one, wanted.project)) ?? null
    if (wanted.project && !project) return noEntry()
    const system = wanted.system !== undefined
    const domain = wanted.domain?.id
    const place = system ? 'system' : (domain ?? project?.id)
    const onDomains = domainAssignments.map((it) => ({ ...it, project: it.domain }))
    const roles = [...assignments, ...onDomains]
      .filter((one) => one.project === place && (one.user === user.id || federation?.groups.includes(one.user)))
      .filter(({ role }) => application?.roles?.includes(role) ?? true)
      .map(({ role }) => ({ id: `r-${role}`, name: role }))
    if (place !== undefined && roles.length === 0) return noEntry()
    // a token obtained with another token expires with it
    const expiresAt = until ?? Date.now() + tokenSeconds * 1000
    const token = keep({ user, project, system, roles, federation, application, expiresAt })
    return { status: 201, headers: { 'x-subject-token': token.id }, body: shown(token) }
  }

  return {
    tokenOf,
    expireTokens: () => tokens.clear(),
    handOver(userId: string, federation: FakeFederation): string {
      const user = users.find(({ id }) => id === userId)!
      const scope = { project: null, system: false, roles: [], application: null }
      return keep({ user, ...scope, federation, expiresAt: Date.now() + tokenSeconds * 1000 }).id
    },
    answer({ verb, body, headers, token }: Received): Reply {
      if (verb === 'POST') return issue(body ?? {})
      const subject = tokenOf(headers['x-subject-token'])
      if (!token) return noEntry()
      if (!subject) return refusal(404, 'Could not find token.')
      if (verb === 'GET') return { body: shown(subject) }
      tokens.delete(subject.id)
      return { status: 204 }
    },
  }
}
