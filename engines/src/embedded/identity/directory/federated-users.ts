import { randomUUID } from 'node:crypto'
import { splitRoles } from '@mainstay/contract/identity/user-roles'
import type { Role } from '@mainstay/contract/permissions'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import type { EntryCheck, FederationPort, MappedClaims } from '../../../ports/federation'
import { folded } from './names'
import { checkMapping, providerCommands } from './providers'
import { membershipsOf, refreshRows, type Touched } from './rows'

/** Permissions granted to a user by the last sign-in. The next sign-in revokes those that are no longer granted. */
interface Given {
  groups: string[]
  roles: Role[]
  projects: { project_id: string; role: string }[]
}
const nothing: Given = { groups: [], roles: [], projects: [] }

interface UserRow {
  id: string
  name: string
  enabled: boolean
  roles: Role[]
  given: Given | null
}

const findUser = async (
  sql: Sql,
  domainId: string,
  providerId: string | null,
  subject: string,
): Promise<UserRow | undefined> =>
  (
    await sql.query<UserRow>(
      `select id, name, enabled, roles, given from identity_user
        where domain_id = $1 and identity_provider = $2 and subject = $3`,
      [domainId, providerId, subject],
    )
  )[0]

/**
 * Determines the groups and projects that the claims grant, and whether another user has the same name, ignoring case
 * and Unicode form. Groups with system permissions are left out unless `isConfirmed` is set, which means that a system
 * administrator was the last to change the provider.
 */
async function checkEntry(
  sql: Sql,
  { domainId, isConfirmed }: { domainId: string; isConfirmed: boolean },
  user: UserRow | undefined,
  mapped: MappedClaims,
): Promise<EntryCheck> {
  const named = await sql.query<{ id: string; name: string; roles: Role[] }>(
    'select id, name, roles from identity_group where domain_id = $1 and id = any($2::text[]) order by name',
    [domainId, mapped.group_ids],
  )
  const groups = named
    .filter(({ roles }) => isConfirmed || splitRoles(roles).system_permissions.length === 0)
    .map(({ id, name }) => ({ id, name }))
  const projects = await sql.query<{ id: string; name: string }>(
    'select id, name from identity_project where domain_id = $1 and id = any($2::text[]) order by name',
    [domainId, mapped.projects.map((it) => it.project_id)],
  )
  const others = await sql.query(
    `select id from identity_user where domain_id = $1 and lower(normalize(name, NFKC)) = lower($2) and id <> $3`,
    [domainId, folded(mapped.name), user?.id ?? ''],
  )
  return {
    is_new: user === undefined,
    groups,
    projects: projects.map((it) => ({
      ...it,
      role: mapped.projects.find(({ project_id }) => project_id === it.id)!.role,
    })),
    refusal: others.length > 0 ? 'name_taken' : user?.enabled === false ? 'disabled' : null,
  }
}

/**
 * Grants a user the groups and projects from the current claims, and revokes those that only an earlier sign-in
 * granted.
 */
async function giveRights(sql: Sql, user: UserRow, { groups, projects }: EntryCheck, wanted: readonly Role[]) {
  const before = user.given ?? nothing
  const joined = await sql.query<{ group_id: string }>(
    `insert into identity_group_member (group_id, user_id) select unnest($2::text[]), $1 on conflict do nothing
      returning group_id`,
    [user.id, groups.map((it) => it.id)],
  )
  const left = before.groups.filter((id) => !groups.some((it) => it.id === id))
  await sql.query('delete from identity_group_member where user_id = $1 and group_id = any($2::text[])', [
    user.id,
    left,
  ])

  const assigned: Given['projects'] = []
  for (const { id, role } of projects) {
    const made = await sql.query(
      'insert into identity_assignment (user_id, project_id, role) values ($1, $2, $3) on conflict do nothing returning role',
      [user.id, id, role],
    )
    if (made.length > 0) assigned.push({ project_id: id, role })
  }
  const isGiven = (it: Given['projects'][number]) =>
    projects.some(({ id, role }) => id === it.project_id && role === it.role)
  for (const { project_id, role } of before.projects.filter((it) => !isGiven(it)))
    await sql.query('delete from identity_assignment where user_id = $1 and project_id = $2 and role = $3', [
      ...[user.id, project_id, role],
    ])

  const own = user.roles.filter((role) => !before.roles.includes(role))
  const given: Given = {
    groups: [
      ...before.groups.filter((id) => !left.includes(id) && !joined.some((it) => it.group_id === id)),
      ...joined.map((it) => it.group_id),
    ],
    roles: wanted.filter((role) => !own.includes(role)),
    projects: [
      ...before.projects.filter((it) => isGiven(it) && !assigned.some((made) => made.project_id === it.project_id)),
      ...assigned,
    ],
  }
  await sql.query('update identity_user set roles = $2, given = $3 where id = $1', [
    ...[user.id, [...new Set([...own, ...wanted])], JSON.stringify(given)],
  ])
  return { group: left, project: [...before.projects.map((it) => it.project_id)] } satisfies Touched
}

/** Commands for identity providers that belong to domains, and for the users who sign in through them. */
export const federation = (sql: Sql, records: RecordsAndTables): FederationPort => ({
  providers: providerCommands(sql, records),

  checkMapping: (_, domainId, mapping) => checkMapping(sql, domainId, mapping),

  async check(domainId, providerId, subject, mapped) {
    const [provider] = await sql.query<{ is_confirmed: boolean }>(
      'select is_confirmed from identity_provider where id = $1 and domain_id = $2',
      [providerId, domainId],
    )
    // a provider that does not exist yet can only be created by someone who may assign these groups
    const isConfirmed = provider?.is_confirmed ?? true
    return checkEntry(sql, { domainId, isConfirmed }, await findUser(sql, domainId, providerId, subject), mapped)
  },

  enter: (providerId, subject, mapped) =>
    records.transaction(async (tx, inside) => {
      // lock the provider, because deleting it also deletes its users
      const [provider] = await inside.query<{ domain_id: string; is_confirmed: boolean }>(
        'select domain_id, is_confirmed from identity_provider where id = $1 for share',
        [providerId],
      )
      if (!provider) return { refusal: 'disabled' }
      const { domain_id, is_confirmed: isConfirmed } = provider
      let user = await findUser(inside, domain_id, providerId, subject)
      const entry = await checkEntry(inside, { domainId: domain_id, isConfirmed }, user, mapped)
      if (entry.refusal) return { refusal: entry.refusal }
      if (user)
        await inside.query('update identity_user set name = $2, email = $3 where id = $1', [
          ...[user.id, mapped.name, mapped.email],
        ])
      else {
        user = { id: randomUUID(), name: mapped.name, enabled: true, roles: [], given: null }
        // passwords of federated users are never checked, so it can be empty
        await inside.query(
          `insert into identity_user (id, domain_id, name, email, password, identity_provider, subject)
            values ($1, $2, $3, $4, '', $5, $6)`,
          [user.id, domain_id, mapped.name, mapped.email, providerId, subject],
        )
      }
      const left = await giveRights(inside, user, entry, mapped.domain_permissions)
      const now = await membershipsOf(inside, [user.id])
      await refreshRows(tx, inside, {
        user: [user.id],
        group: [...(now.group ?? []), ...left.group],
        project: [...(now.project ?? []), ...left.project],
        domain: [domain_id],
      })
      return { userId: user.id }
    }),
})
