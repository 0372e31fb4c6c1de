import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import { missing, roleOf, shown, type Directory } from './directory-shape'
import { keystoneRefusal } from './refusals'

/* Changes to the directory of a fake cloud, which fail with the same errors as in a real one. */

type Draft = Record<string, unknown> & { name: string; domain_id: string }
type Row = { id: string; name?: string; domain?: { id: string; name: string } }

const conflict = (what: string): Reply =>
  keystoneRefusal(409, 'Conflict', `Conflict occurred attempting to store ${what} - Duplicate entry found with name.`)
const without = <Item>(list: Item[], isGone: (item: Item) => boolean): void => {
  for (let index = list.length - 1; index >= 0; index--) if (isGone(list[index]!)) list.splice(index, 1)
}

export function serveDirectoryActs({ on, expireTokens }: FakeCloud, directory: Directory): void {
  const { domains, projects, users, assignments, domainAssignments, groups, roles } = directory
  const lists = { domain: domains, project: projects, user: users, group: groups } as unknown as Record<string, Row[]>
  const show = (kind: string, row: Row) => ({ [kind]: shown[kind as 'user'](row as never) })
  const isTaken = (kind: string, { id, name, domain }: Partial<Row>) =>
    lists[kind]!.some((it) => it.id !== id && it.name === name && it.domain?.id === domain?.id)

  for (const [kind, rows] of Object.entries(lists)) {
    on('identity', 'POST', `/${kind}s`, ({ body }) => {
      const { domain_id, ...draft } = (body as Record<string, Draft>)[kind]!
      const domain = domains.find(({ id }) => id === domain_id)
      if (kind !== 'domain' && !domain) return missing('domain')
      const made = {
        ...{ id: randomUUID(), enabled: true, ...draft },
        ...(domain && { domain: { id: domain.id, name: domain.name } }),
        ...(kind === 'group' && { users: [], systemRoles: [] }),
      }
      if (isTaken(kind, made)) return conflict(kind)
      rows.push(made)
      return { status: 201, body: show(kind, made) }
    })
    on('identity', 'PATCH', `/${kind}s/:id`, ({ params, body }) => {
      const found = rows.find(({ id }) => id === params['id'])
      if (!found) return missing(kind)
      const change = (body as Record<string, object>)[kind]!
      if (isTaken(kind, { ...found, ...change })) return conflict(kind)
      Object.assign(found, change)
      return { body: show(kind, found) }
    })
    on('identity', 'DELETE', `/${kind}s/:id`, ({ params }) => {
      const id = params['id']!
      const found = rows.find((it) => it.id === id)
      if (!found) return missing(kind)
      if (kind === 'domain' && (found as { enabled?: boolean }).enabled !== false)
        return keystoneRefusal(403, 'Forbidden', 'Cannot delete a domain that is enabled, please disable it first.')
      without(rows, (it) => it.id === id)
      // also delete the contents of a domain and all role assignments of the deleted object
      if (kind === 'domain')
        for (const list of [projects, users, groups] as Row[][]) without(list, (it) => it.domain?.id === id)
      without(assignments, (it) => it.user === id || it.project === id)
      without(domainAssignments, (it) => it.user === id || it.domain === id)
      for (const group of groups) without(group.users, (it) => it === id)
      return { status: 204 }
    })
  }

  on('identity', 'POST', '/users/:id/password', ({ params, body, token }) => {
    const found = users.find(({ id }) => id === params['id'])
    const { original_password, password } = (body as { user: Record<string, string> }).user
    if (!found || token?.user.id !== found.id || found.password !== original_password)
      return keystoneRefusal(401, 'Unauthorized', 'The request you have made requires authentication.')
    if ((password ?? '').length < 8)
      return keystoneRefusal(400, 'Bad Request', 'Password validation error: it is too short.')
    found.password = password!
    // Keystone expires only this user's tokens; here all expire, and the service account signs in again
    expireTokens()
    return { status: 204 }
  })
  on('identity', 'POST', '/roles', ({ body }) => {
    const { name } = (body as { role: { name: string } }).role
    if (roles.includes(name)) return conflict('role')
    roles.push(name)
    return { status: 201, body: { role: roleOf(name) } }
  })

  const inGroup = (work: (group: Directory['groups'][number], user: string) => Reply) => {
    return ({ params }: Received): Reply => {
      const group = groups.find(({ id }) => id === params['id'])
      const user = users.find(({ id }) => id === params['user'])
      return group && user ? work(group, user.id) : missing(group ? 'user' : 'group')
    }
  }
  on(
    'identity',
    'PUT',
    '/groups/:id/users/:user',
    inGroup((group, user) => {
      if (!group.users.includes(user)) group.users.push(user)
      return { status: 204 }
    }),
  )
  on(
    'identity',
    'DELETE',
    '/groups/:id/users/:user',
    inGroup((group, user) => {
      if (!group.users.includes(user)) return missing('user in group')
      without(group.users, (it) => it === user)
      return { status: 204 }
    }),
  )

  for (const [place, rows, key] of [
    ['/projects/:place', assignments, 'project'],
    ['/system', assignments, 'project'],
    ['/domains/:place', domainAssignments, 'domain'],
  ] as const)
    for (const who of ['users', 'groups']) serveGrants({ on }, `${place}/${who}/:who/roles/:role`, rows, key)
}

type Given = { user: string; role: string } & Record<string, string>

function serveGrants({ on }: Pick<FakeCloud, 'on'>, path: string, rows: Given[], key: string): void {
  const wanted = ({ params }: Received) => ({
    user: params['who']!,
    [key]: params['place'] ?? 'system',
    role: params['role']!.replace(/^r-/, ''),
  })
  const isSame = (one: Given, other: Record<string, string>) =>
    one.user === other['user'] && one[key] === other[key] && one.role === other['role']
  on('identity', 'PUT', path, (call) => {
    const grant = wanted(call) as Given
    if (!rows.some((it) => isSame(it, grant))) rows.push(grant)
    return { status: 204 }
  })
  on('identity', 'DELETE', path, (call) => {
    const grant = wanted(call)
    if (!rows.some((it) => isSame(it, grant))) return missing('role assignment')
    without(rows, (it) => isSame(it, grant))
    return { status: 204 }
  })
}
