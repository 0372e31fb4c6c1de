import { setTimeout as pause } from 'node:timers/promises'
import { Problem, withField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { DirectoryPort } from '../../ports/directory'
import type {
  Authenticated,
  DomainRecord,
  HandOverPort,
  IdentityPort,
  ProjectRecord,
  UserRecord,
} from '../../ports/identity'
import { Secret } from '../../ports/secret'
import type { ServiceClient } from '../client/service-client'
import type { Cloud } from '../client/cloud'
import type { UserRef } from '../client/credentials'
import { applicationSignIn } from './application-credentials'
import { createAssigning } from './assigning'
import { onAuthenticated } from './on-authenticated'
import type { Lookups } from './lookups'
import { toDomain, toProject, WireDomain, WireProject, WireUser } from './wire'

/** Keystone records revocations in whole seconds, so a token issued in the same second is also revoked. */
const NEXT_SECOND_MS = 1_100

const path = (kind: 'user' | 'project' | 'domain', id: string) => `/${kind}s/${encodeURIComponent(id)}`

/**
 * Creates the port for domains, projects and users in Keystone. Sign-ins use the user's credentials; everything else
 * uses the service account.
 */
export function createIdentity(options: {
  cloud: Cloud
  /** Client that uses the service account. */
  caller: ServiceClient
  lookups: Lookups
  handOver: HandOverPort
  /** Null if another engine serves identity. */
  directory: DirectoryPort | null
}): IdentityPort {
  const { cloud, caller, lookups, handOver, directory } = options
  const { users, projects, domains, enterable } = lookups
  const adminProjectId = () => lookups.adminProjectId()
  const assigning = createAssigning(caller, adminProjectId)

  async function signIn(user: UserRef, password: Secret): Promise<Authenticated | null> {
    const token = await cloud
      .authenticate({ method: 'password', user, password }, 'unscoped')
      .catch((error: unknown) => {
        // Keystone reports an expired password only if the password is correct, and the user needs to know about it
        if (error instanceof Problem && error.code === 'wrong_credentials' && !/expired/i.test(error.message))
          return null
        throw error
      })
    return token && onAuthenticated(lookups, token)
  }

  return {
    authenticate: (username, password, domainName) =>
      signIn({ name: username, domain: { name: domainName } }, new Secret(password)),
    authenticateApplication: applicationSignIn(cloud, lookups),
    handOver,
    directory,
    rightsChanged: (of) => (of === null ? lookups.forgetAll() : lookups.forget(of.kind, of.id)),
    federation: null,
    imports: null,
    user: (id) => users.get(id),
    domain: (id) => domains.get(id),
    project: (id) => projects.get(id),
    projectsOf: async (user) => (await enterable.get(user.id)) ?? [],
    adminProjectId,

    async changePassword(userId, current, next) {
      const known = await signIn({ id: userId }, new Secret(current))
      if (!known?.credential) return null
      const own = cloud.callerFor(cloud.held(await cloud.inspect(known.credential)))
      const body = { user: { original_password: current, password: next } }
      await own
        .send('POST', 'identity', `${path('user', userId)}/password`, z.void(), { body })
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === 'validation') throw withField(error, { field: 'new_password' })
          throw error
        })
      await pause(NEXT_SECOND_MS)
      return signIn({ id: userId }, new Secret(next))
    },

    async createDomain({ name, enabled = true }): Promise<DomainRecord> {
      const body = { domain: { name, enabled } }
      const { domain } = await caller.send('POST', 'identity', '/domains', z.object({ domain: WireDomain }), { body })
      return toDomain(domain)
    },

    async createProject({ name, domain_id, description = '', enabled = true }): Promise<ProjectRecord> {
      const body = { project: { name, domain_id, description, enabled } }
      const { project } = await caller.send('POST', 'identity', '/projects', z.object({ project: WireProject }), {
        body,
      })
      return toProject(project)
    },

    async createUser(draft): Promise<UserRecord> {
      const { name, domain_id, password, email = null, roles = [], assigned_projects = [] } = draft
      const body = { user: { name, domain_id, password, enabled: true, ...(email !== null && { email }) } }
      const { user } = await caller.send('POST', 'identity', '/users', z.object({ user: WireUser }), { body })
      try {
        for (const role of draft.is_superuser ? (['admin', ...roles] as const) : roles)
          await assigning.give(user.id, domain_id, role)
        for (const { project_id, role } of assigned_projects) await assigning.inProject(user.id, project_id, role)
      } catch (error) {
        // an incomplete user would block the next attempt
        await caller.send('DELETE', 'identity', path('user', user.id), z.void()).catch(() => undefined)
        throw error
      }
      return (await users.renew(user.id))!
    },

    async setEnabled(kind, id, enabled) {
      await caller.send('PATCH', 'identity', path(kind, id), z.void(), { body: { [kind]: { enabled } } })
      lookups.forget(kind, id)
    },
  }
}
