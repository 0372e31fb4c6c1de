import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface PretendedPeople {
  users: { id: string; name: string; password: string; domain: { id: string; name: string } }[]
  projects: { id: string; name: string; domain: { id: string; name: string } }[]
  /** Roles by user and project (or `system`). */
  assignments: { user: string; project: string; role: string }[]
  applicationCredentials: { id: string; secret: string; user: string; project: string }[]
  tokenSeconds: number
}

export interface PretendedToken {
  id: string
  user: PretendedPeople['users'][number]
  project: PretendedPeople['projects'][number] | null
  system: boolean
  roles: { id: string; name: string }[]
  /** Milliseconds of the epoch. */
  issuedAt: number
  expiresAt: number
}

const Default = { id: 'default', name: 'Default' }
const usual: PretendedPeople = {
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
  token: PretendedToken | null
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
      application_credential?: { id?: string; secret?: string }
    }
    scope?: 'unscoped' | { project?: Named; system?: object }
  }
}

const refusal = (status: number, message: string): Reply => ({
  status,
  body: { error: { code: status, message, title: status === 401 ? 'Unauthorized' : 'Not Found' } },
})
const noEntry = () => refusal(401, 'The request you have made requires authentication.')
const isMeant = (one: { id: string; name: string }, ref: Named | undefined) =>
  ref !== undefined && (ref.id === one.id || (ref.id === undefined && ref.name === one.name))

/** Tokens as the identity service gives them out: an answer for `/auth/tokens`, and whose a token is. */
export function pretendedKeystone(people: Partial<PretendedPeople>, catalogue: unknown[]) {
  const { users, projects, assignments, applicationCredentials, tokenSeconds } = { ...usual, ...people }
  const tokens = new Map<string, PretendedToken>()

  const tokenOf = (id: string | string[] | undefined): PretendedToken | null => {
    const token = typeof id === 'string' ? tokens.get(id) : undefined
    return token && token.expiresAt > Date.now() ? token : null
  }
  const shown = ({ user, project, system, roles, issuedAt, expiresAt }: PretendedToken): object => ({
    token: {
      methods: ['password'],
      user: { id: user.id, name: user.name, domain: user.domain },
      issued_at: new Date(issuedAt).toISOString(),
      expires_at: new Date(expiresAt).toISOString(),
      ...(project && { project }),
      ...(system && { system: { all: true } }),
      // an unscoped token knows neither roles nor addresses
      ...((project || system) && { roles, catalog: addressed(project?.id ?? '') }),
    },
  })
  const addressed = (projectId: string): unknown =>
    JSON.parse(JSON.stringify(catalogue).replaceAll('/PROJECT"', `/${projectId}"`))

  function whoIs({ auth }: AuthBody) {
    const { password, token, application_credential: credential } = auth?.identity ?? {}
    if (credential) {
      const known = applicationCredentials.find(
        ({ id, secret }) => id === credential.id && secret === credential.secret,
      )
      return { user: users.find(({ id }) => id === known?.user), project: known?.project, until: null }
    }
    if (token) {
      const known = tokenOf(token.id)
      return { user: known?.user, project: undefined, until: known?.expiresAt ?? null }
    }
    const user = users.find((one) => isMeant(one, password?.user) && one.password === password?.user?.password)
    return { user, project: undefined, until: null }
  }

  function issue(body: AuthBody): Reply {
    const { user, project: own, until } = whoIs(body)
    if (!user) return body.auth?.identity?.token ? refusal(404, 'Failed to validate token') : noEntry()
    const scope = body.auth?.scope
    const wanted = typeof scope === 'object' ? scope : {}
    const project = projects.find((one) => one.id === own || isMeant(one, wanted.project)) ?? null
    if (wanted.project && !project) return noEntry()
    const system = wanted.system !== undefined
    const place = system ? 'system' : project?.id
    const roles = assignments
      .filter((one) => one.user === user.id && one.project === place)
      .map(({ role }) => ({ id: `r-${role}`, name: role }))
    if (place !== undefined && roles.length === 0) return noEntry()
    const issuedAt = Date.now()
    // a token from a token lives no longer than that one
    const expiresAt = until ?? issuedAt + tokenSeconds * 1000
    const id = `gAAAA${randomBytes(24).toString('hex')}`
    const token = { id, user, project, system, roles, issuedAt, expiresAt }
    tokens.set(id, token)
    return { status: 201, headers: { 'x-subject-token': id }, body: shown(token) }
  }

  return {
    tokenOf,
    expireTokens: () => tokens.clear(),
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
