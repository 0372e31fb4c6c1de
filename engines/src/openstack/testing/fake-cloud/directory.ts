import { randomUUID } from 'node:crypto'
import type { FakeCloud, Reply } from './cloud'
import type { FakePeople } from './keystone'

/** What a fake Keystone knows; tests change it as an administrator of the cloud would. */
export interface Directory {
  domains: { id: string; name: string; enabled: boolean }[]
  projects: (FakePeople['projects'][number] & { enabled?: boolean })[]
  users: (FakePeople['users'][number] & { enabled?: boolean; email?: string; federated?: { idp_id: string }[] })[]
  /** Roles on projects and on the `system`, of users and of groups. */
  assignments: FakePeople['assignments']
  domainAssignments: { user: string; domain: string; role: string }[]
  /** Groups with their roles on the system. */
  groups: { id: string; users: string[]; systemRoles: string[] }[]
  roles: string[]
  applicationCredentials: FakePeople['applicationCredentials']
  providers: { id: string; description: string; enabled: boolean; domain_id: string; protocols: string[] }[]
}

export const someDirectory = (): Directory => {
  const Default = { id: 'default', name: 'Default' }
  const alpha = { id: 'd-alpha', name: 'alpha' }
  return {
    domains: [
      { ...Default, enabled: true },
      { ...alpha, enabled: true },
    ],
    projects: [
      { id: 'p-admin', name: 'admin', domain: Default },
      { id: 'p-demo', name: 'demo', domain: Default },
      { id: 'p-one', name: 'one', domain: alpha },
      { id: 'p-two', name: 'two', domain: alpha },
    ],
    users: [
      { id: 'u-service', name: 'mainstay', password: 'service-secret', domain: Default },
      { id: 'u-admin', name: 'admin', password: 'pass-admin', domain: Default },
      { id: 'u-viewer', name: 'viewer', password: 'pass-viewer', domain: Default },
      { id: 'u-head', name: 'head', password: 'pass-head', domain: alpha, email: 'head@alpha.example' },
      { id: 'u-mary', name: 'mary', password: 'pass-mary', domain: alpha },
      { id: 'u-nobody', name: 'nobody', password: 'pass-nobody', domain: alpha },
    ],
    assignments: [
      { user: 'u-service', project: 'p-admin', role: 'admin' },
      { user: 'u-admin', project: 'p-admin', role: 'admin' },
      { user: 'u-admin', project: 'p-admin', role: 'member' },
      { user: 'u-viewer', project: 'system', role: 'reader' },
      { user: 'u-mary', project: 'p-one', role: 'member' },
      { user: 'u-mary', project: 'p-two', role: 'reader' },
      { user: 'u-mary', project: 'p-demo', role: 'image_upload' },
    ],
    domainAssignments: [{ user: 'u-head', domain: 'd-alpha', role: 'admin' }],
    groups: [],
    roles: ['admin', 'member', 'reader', 'image_upload'],
    applicationCredentials: [],
    providers: [],
  }
}

const missing = (what: string): Reply => ({
  status: 404,
  body: { error: { code: 404, message: `Could not find ${what}.` } },
})

/** Domains, users, projects and roles on a fake cloud, as far as the engine asks for them. */
export function serveDirectory({ on, expireTokens }: FakeCloud, directory: Directory): void {
  const { domains, projects, users, assignments, domainAssignments, groups, roles, providers } = directory
  const project = ({ domain, enabled = true, ...rest }: Directory['projects'][number]) => ({
    ...rest,
    domain_id: domain.id,
    description: `${rest.name} of ${domain.name}`,
    enabled,
    is_domain: false,
  })
  const user = ({ domain, enabled = true, password: _, ...rest }: Directory['users'][number]) => ({
    ...rest,
    domain_id: domain.id,
    enabled,
    options: {},
  })
  const role = (name: string) => ({ id: `r-${name}`, name })
  const rolesOn = (list: Directory['assignments'] | Directory['domainAssignments'], id: string | null) =>
    list.filter((it) => it.user === id)

  on('identity', 'GET', '/domains/:id', ({ params }) => {
    const found = domains.find(({ id }) => id === params['id'])
    return found ? { body: { domain: found } } : missing('domain')
  })
  on('identity', 'GET', '/projects/:id', ({ params }) => {
    const found = projects.find(({ id }) => id === params['id'])
    return found ? { body: { project: project(found) } } : missing('project')
  })
  on('identity', 'GET', '/projects', ({ query }) => {
    const domain = query.get('domain_id')
    const found = projects.filter((it) => domain === null || it.domain.id === domain)
    return { body: { projects: found.map(project), links: { next: null } } }
  })
  on('identity', 'GET', '/users/:id', ({ params }) => {
    const found = users.find(({ id }) => id === params['id'])
    return found ? { body: { user: user(found) } } : missing('user')
  })
  on('identity', 'GET', '/users/:id/projects', ({ params }) => {
    const own = new Set(rolesOn(assignments, params['id'] ?? '').map((it) => (it as { project: string }).project))
    return { body: { projects: projects.filter(({ id }) => own.has(id)).map(project), links: { next: null } } }
  })
  const system = { system: { all: true } }
  on('identity', 'GET', '/role_assignments', ({ query }) => {
    const id = query.get('user.id') ?? query.get('group.id')
    // as the real one: roles on the system are told only where they are asked for, and then those of everybody
    const rows = query.has('scope.system')
      ? [
          ...assignments
            .filter((it) => it.project === 'system')
            .map((it) => ({ user: { id: it.user }, role: it.role, scope: system })),
          ...groups.flatMap((it) =>
            it.systemRoles.map((name) => ({ group: { id: it.id }, role: name, scope: system })),
          ),
        ]
      : [
          ...assignments
            .filter((it) => it.project !== 'system')
            .map((it) => ({ user: { id: it.user }, role: it.role, scope: { project: { id: it.project, name: 'x' } } })),
          ...domainAssignments.map((it) => ({
            user: { id: it.user },
            role: it.role,
            scope: { domain: { id: it.domain, name: 'x' } },
          })),
        ].filter((it) => it.user.id === id)
    return { body: { role_assignments: rows.map((it) => ({ ...it, role: role(it.role), links: {} })) } }
  })
  on('identity', 'GET', '/users/:id/groups', ({ params }) => ({
    body: { groups: groups.filter((it) => it.users.includes(params['id']!)), links: { next: null } },
  }))
  on('identity', 'GET', '/OS-FEDERATION/identity_providers', () => ({
    body: { identity_providers: providers.map(({ protocols: _, ...rest }) => rest), links: { next: null } },
  }))
  on('identity', 'GET', '/OS-FEDERATION/identity_providers/:id/protocols', ({ params }) => ({
    body: {
      protocols: providers.find(({ id }) => id === params['id'])!.protocols.map((id) => ({ id, mapping_id: 'people' })),
      links: { next: null },
    },
  }))
  on('identity', 'GET', '/roles', ({ query }) => ({
    body: { roles: roles.filter((name) => query.get('name') === name).map(role), links: { next: null } },
  }))

  on('identity', 'POST', '/users/:id/password', ({ params, body, token }) => {
    const found = users.find(({ id }) => id === params['id'])
    const { original_password, password } = (body as { user: Record<string, string> }).user
    if (!found || token?.user.id !== found.id || found.password !== original_password)
      return {
        status: 401,
        body: { error: { code: 401, message: 'The request you have made requires authentication.' } },
      }
    if ((password ?? '').length < 8)
      return { status: 400, body: { error: { code: 400, message: 'Password validation error: it is too short.' } } }
    found.password = password!
    // the real one makes those of the user worthless; the service account gets itself another
    expireTokens()
    return { status: 204 }
  })
  on('identity', 'POST', '/domains', ({ body }) => {
    const { name } = (body as { domain: { name: string } }).domain
    if (domains.some((it) => it.name === name))
      return {
        status: 409,
        body: {
          error: {
            code: 409,
            message: 'Conflict occurred attempting to store domain - Duplicate entry found with name.',
          },
        },
      }
    const domain = { id: randomUUID(), name, enabled: true }
    domains.push(domain)
    return { status: 201, body: { domain } }
  })
  on('identity', 'POST', '/projects', ({ body }) => {
    const { name, domain_id } = (body as { project: { name: string; domain_id: string } }).project
    const made = { id: randomUUID(), name, domain: domains.find(({ id }) => id === domain_id)! }
    projects.push(made)
    return { status: 201, body: { project: project(made) } }
  })
  on('identity', 'POST', '/users', ({ body }) => {
    const { name, domain_id, password } = (body as { user: Record<string, string> }).user
    const made = {
      id: randomUUID(),
      name: name!,
      password: password!,
      domain: domains.find(({ id }) => id === domain_id)!,
    }
    users.push(made)
    return { status: 201, body: { user: user(made) } }
  })
  on('identity', 'DELETE', '/users/:id', ({ params }) => {
    users.splice(
      users.findIndex(({ id }) => id === params['id']),
      1,
    )
    return { status: 204 }
  })
  const assign = (give: (user: string, place: string, name: string) => void) => {
    return ({ params }: { params: Record<string, string> }): Reply => {
      give(params['user']!, params['place'] ?? 'system', params['role']!.replace(/^r-/, ''))
      return { status: 204 }
    }
  }
  const onProject = assign((id, place, name) => void assignments.push({ user: id, project: place, role: name }))
  on('identity', 'PUT', '/projects/:place/users/:user/roles/:role', onProject)
  on('identity', 'PUT', '/system/users/:user/roles/:role', onProject)
  on(
    'identity',
    'PUT',
    '/domains/:place/users/:user/roles/:role',
    assign((id, place, name) => void domainAssignments.push({ user: id, domain: place, role: name })),
  )
  for (const [kind, rows] of [
    ['user', users],
    ['project', projects],
    ['domain', domains],
  ] as const)
    on('identity', 'PATCH', `/${kind}s/:id`, ({ params, body }) => {
      const found = (rows as { id: string; enabled?: boolean }[]).find(({ id }) => id === params['id'])
      if (!found) return missing(kind)
      found.enabled = (body as Record<string, { enabled: boolean }>)[kind]!.enabled
      return { body: {} }
    })
}
