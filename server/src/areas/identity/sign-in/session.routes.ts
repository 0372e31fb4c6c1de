import { API_VERSION, session, type AccountProject } from '@mainstay/contract/identity/session'
import { projectKind, type Project } from '@mainstay/contract/identity/projects'
import type { QueryOf } from '@mainstay/contract/core/endpoint'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { toMeta } from '@mainstay/contract/core/abilities'
import { domainScopeResources, type Grants } from '@mainstay/contract/permissions'
import type { Scope } from '@mainstay/engines/ports/scope'
import { settableQuotas } from '../../../engines/quota-limits'
import { serve } from '../../../http/serve'
import { domainNameOf } from '../domain-by-id'
import { currentUser } from '../../../session/current-user'
import { idleMinutes } from '../../../session/idle-setting'
import type { SignedIn } from '../../../session/signed-in'
import type { Tools } from '../../../tools'
import { hasObjectStorage } from '../../object-storage/access.service'
import { welcome } from './welcome'

/** Lists the projects that the caller may enter. A caller bound to a project may enter only that project. */
async function enterable(caller: SignedIn, { identity }: Pick<Tools, 'identity'>): Promise<AccountProject[]> {
  const only = caller.bound_project_id
  const projects = await identity.projectsOf(caller.user)
  return only === null ? projects : projects.filter(({ id }) => id === only)
}

/** Lists projects in all domains. Operators use this to look up projects with command-line clients. */
async function allProjects(
  scope: Scope,
  { id, name, domain_id, ...page }: QueryOf<(typeof session)['computeProjects']>,
  { identity, inventory }: Pick<Tools, 'identity' | 'inventory'>,
): Promise<AccountProject[]> {
  const { data } = await inventory.list<Project>(projectKind, scope, {
    ...{ ...page, sort: 'name:asc' },
    ...(id !== undefined && { id: `in:${id}` }),
    ...(name !== undefined && { name: `exact:${name}` }),
    ...(domain_id !== undefined && { domain_id: `in:${domain_id}` }),
  })
  const domains = [...new Set(data.map((project) => project.domain_id))]
  const names = new Map(await Promise.all(domains.map(async (it) => [it, (await identity.domain(it))?.name] as const)))
  return data.map((project) => ({ ...project, domain_name: names.get(project.domain_id) ?? project.domain_id }))
}

/** Removes permissions for settings that a cloud manages, and for object storage if the caller cannot use it. */
function offered(grants: Grants, { directory, federation, imports }: Tools['identity'], hasS3: boolean): Grants {
  const elsewhere: readonly string[] = [
    ...(hasS3 ? [] : ['s3_enable']),
    ...(directory ? [] : domainScopeResources),
    ...(federation ? [] : ['domain_idps']),
    ...(imports ? [] : ['settings_ldap']),
  ]
  return Object.fromEntries(Object.entries(grants).filter(([resource]) => !elsewhere.includes(resource)))
}

export const sessionRoutes = serve(session, {
  panel: ({ request }, { version, config }) => ({
    panel: request.panel,
    version: version.build,
    parent_origins: request.panel === 'self-service' ? [...config.parentOrigins] : [],
  }),

  async login({ body, request }, { identity, sessions }) {
    const domain = await domainNameOf(body.domain, identity)
    const login = { ...body, ...(domain !== undefined && { domain }) }
    return welcome(await sessions.signIn(login, request.origin), request, sessions)
  },

  async logout({ request }, { sessions }) {
    const ended = request.token !== null && (await sessions.signOut(request.token))
    if (!ended) request.leaveUnrecorded()
    request.setSessionCookie(null, 0)
  },

  async logoutAtProvider({ request }, { sessions }) {
    const address = request.token === null ? null : await sessions.signOutAt(request.token)
    const ended = request.token !== null && (await sessions.signOut(request.token))
    if (!ended) request.leaveUnrecorded()
    request.setSessionCookie(null, 0)
    return { address: address?.reveal() ?? null }
  },

  whoami: ({ caller, request }) =>
    currentUser(caller, caller.project && request.token !== null ? { scoped_token: request.token } : {}),

  projects: async ({ caller }, tools) => ({ data: await enterable(caller, tools) }),

  async computeProjects({ caller, scope, query }, tools) {
    if (scope.kind === 'system' && tools.identity.directory) return { data: await allProjects(scope, query, tools) }
    const { id, name, domain_id, marker, limit } = query
    const asked = (given: string | undefined, has: string) => given === undefined || given === has
    const found = (await enterable(caller, tools)).filter(
      (it) => asked(id, it.id) && asked(name, it.name) && asked(domain_id, it.domain_id),
    )
    const after = marker === undefined ? 0 : found.findIndex((it) => it.id === marker) + 1
    if (marker !== undefined && after === 0) throw fieldProblem('marker', 'core.marker_of_no_page')
    return { data: found.slice(after, after + limit) }
  },

  anotherToken: async ({ caller }, { sessions }) => ({ token: await sessions.anotherToken(caller) }),

  enterProject: async ({ caller, params }, { sessions }) => ({ token: await sessions.enterProject(caller, params.id) }),

  changePassword: ({ caller, body, request }, { sessions }) => sessions.changePassword(caller, body, request.origin),

  meta: async ({ caller }, { areas, capabilities, identity, inventory, ports, settings, version }) => {
    const hasS3 = await hasObjectStorage({ areas, ports }, caller)
    return {
      permissions: toMeta(offered(caller.grants, identity, hasS3)),
      scope: {
        kind: caller.scope.kind,
        project_id: caller.scope.project_id,
        project_name: caller.project?.name ?? null,
        domain_id: caller.scope.domain_id,
      },
      services: {
        compute: {
          configured: areas.compute.engine !== null,
          advice: areas.compute.advice,
          simulated: areas.compute.engine?.about.simulated ?? false,
          terraform: areas.compute.engine?.about.terraform ?? false,
        },
        identity: { password_links: Boolean(identity.directory?.passwordLinks) },
        recycle_bin: { available: capabilities.compute.recycle_bin },
        s3: { available: hasS3 },
      },
      settable_quotas: settableQuotas({ areas, ports }),
      idle_timeout_minutes: await idleMinutes(settings),
      version: version.build,
      revision: await inventory.revision(),
    }
  },

  about: (_, { version, config: { links } }) => ({
    'storage-release': { version: API_VERSION, release: version.release },
    product: { version: version.version },
    links,
  }),

  version: () => ({ version: API_VERSION }),
})
