import { serveDirectoryActs } from './directory-acts'
import { missing, roleOf, shown, type Directory } from './directory-shape'
import type { FakeCloud } from './cloud'

export type { Directory } from './directory-shape'

const Default = { id: 'default', name: 'Default' }

export const someDirectory = (): Directory => {
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
      { id: 'u-viewer', name: 'onlooker', password: 'pass-onlooker', domain: Default },
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

/** Serves the domains, users, groups, projects and roles of a fake cloud, as far as the engine uses them. */
export function serveDirectory(cloud: FakeCloud, directory: Directory): void {
  const { on } = cloud
  const { domains, projects, users, assignments, domainAssignments, groups, roles, providers } = directory
  const list = (key: string, rows: object[]) => ({ body: { [key]: rows, links: { next: null } } })

  on('identity', 'GET', '/domains', () => list('domains', domains.map(shown.domain)))
  on('identity', 'GET', '/projects', ({ query }) => {
    const found = projects.filter(isIn(query.get('domain_id')))
    return list('projects', found.filter(({ name }) => [null, name].includes(query.get('name'))).map(shown.project))
  })
  on('identity', 'GET', '/users', ({ query }) => {
    const provider = query.get('idp_id')
    const found = users
      .filter(isIn(query.get('domain_id')))
      .filter(({ federated = [] }) => provider === null || federated.some(({ idp_id }) => idp_id === provider))
    // like Keystone, show identity providers only for a single user, not in lists
    return list(
      'users',
      found.map((it) => ({ ...shown.user(it), federated: undefined })),
    )
  })
  on('identity', 'GET', '/groups', ({ query }) =>
    list('groups', groups.filter(({ domain = Default }) => isIn(query.get('domain_id'))({ domain })).map(shown.group)),
  )
  for (const [kind, rows] of Object.entries({ domain: domains, project: projects, user: users, group: groups }))
    on('identity', 'GET', `/${kind}s/:id`, ({ params }) => {
      const found = (rows as { id: string }[]).find(({ id }) => id === params['id'])
      return found ? { body: { [kind]: shown[kind as 'user'](found as never) } } : missing(kind)
    })
  on('identity', 'GET', '/users/:id/projects', ({ params }) => {
    const own = new Set(assignments.flatMap((it) => (it.user === params['id'] ? [it.project] : [])))
    return list('projects', projects.filter(({ id }) => own.has(id)).map(shown.project))
  })
  on('identity', 'GET', '/users/:id/groups', ({ params }) =>
    list('groups', groups.filter((it) => it.users.includes(params['id']!)).map(shown.group)),
  )
  on('identity', 'GET', '/groups/:id/users', ({ params }) => {
    const group = groups.find(({ id }) => id === params['id'])
    return group ? list('users', users.filter(({ id }) => group.users.includes(id)).map(shown.user)) : missing('group')
  })

  const isGroup = (id: string) => groups.some((it) => it.id === id)
  /** Returns all direct role assignments. */
  const given = () =>
    [
      ...assignments.map(({ user, project, role }) => ({
        ...{ to: user, role },
        scope: project === 'system' ? { system: { all: true } } : { project: { id: project, name: 'x' } },
      })),
      ...domainAssignments.map(({ user, domain, role }) => ({
        to: user,
        role,
        scope: { domain: { id: domain, name: 'x' } },
      })),
      ...groups.flatMap(({ id, systemRoles }) =>
        systemRoles.map((role) => ({ to: id, role, scope: { system: { all: true } } })),
      ),
    ] as { to: string; role: string; scope: { project?: { id: string }; domain?: { id: string }; system?: object } }[]
  const membersOf = (id: string) => groups.find((it) => it.id === id)?.users ?? []
  on('identity', 'GET', '/role_assignments', ({ query }) => {
    const who = query.get('user.id') ?? query.get('group.id')
    const project = query.get('scope.project.id')
    const only = query.get('role.id')
    const isEffective = query.has('effective')
    // like Keystone, omit system roles from effective lists
    const rows = given()
      .filter(({ scope }) => (query.has('scope.system') ? scope.system : !isEffective || !scope.system))
      .filter(({ scope }) => project === null || scope.project?.id === project)
      .filter(({ role }) => only === null || roleOf(role).id === only)
      .flatMap((it) => (isEffective && isGroup(it.to) ? membersOf(it.to).map((to) => ({ ...it, to })) : [it]))
      .filter(({ to }) => who === null || query.has('scope.system') || to === who)
    return {
      body: {
        role_assignments: rows.map(({ to, role, scope }) => ({
          ...{ [isGroup(to) ? 'group' : 'user']: { id: to }, scope, links: {} },
          role: roleOf(role),
        })),
        links: { next: null },
      },
    }
  })
  on('identity', 'GET', '/roles', ({ query }) =>
    list('roles', roles.filter((name) => [null, name].includes(query.get('name'))).map(roleOf)),
  )
  on('identity', 'GET', '/role_inferences', () => ({ body: { role_inferences: [] } }))
  on('identity', 'GET', '/OS-FEDERATION/identity_providers', () =>
    list(
      'identity_providers',
      providers.map(({ protocols: _, ...rest }) => rest),
    ),
  )
  on('identity', 'GET', '/OS-FEDERATION/identity_providers/:id/protocols', ({ params }) =>
    list(
      'protocols',
      providers.find(({ id }) => id === params['id'])!.protocols.map((id) => ({ id, mapping_id: 'people' })),
    ),
  )
  serveDirectoryActs(cloud, directory)
}

const isIn =
  (domain: string | null) =>
  (row: { domain: { id: string } }): boolean =>
    domain === null || row.domain.id === domain
