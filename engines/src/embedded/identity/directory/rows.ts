import type { Domain } from '@mainstay/contract/identity/domains'
import type { Group } from '@mainstay/contract/identity/groups'
import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import type { Project } from '@mainstay/contract/identity/projects'
import { rightsOf, type GroupOfUser } from '@mainstay/contract/identity/rights'
import { roleOf, splitRoles } from '@mainstay/contract/identity/user-roles'
import type { User } from '@mainstay/contract/identity/users'
import type { Role } from '@mainstay/contract/permissions'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import type { Entity, RecordsTransaction } from '../../../ports/records'

/*
 * Sign-in reads the tables of domains, projects, users, groups and assignments; lists read the index. Index rows are
 * derived from the tables in the transaction that changes the tables.
 */

type Dated<Row> = Omit<Row, 'created_at'> & { created_at: Date }
const dated = <Row extends { created_at: string | null }>(row: Dated<Row>): Row =>
  ({ ...row, created_at: row.created_at.toISOString() }) as unknown as Row

async function readDomains(sql: Sql, ids: readonly string[]): Promise<Domain[]> {
  const rows = await sql.query<Dated<Domain>>(
    `select d.id, d.name, d.description, d.enabled, d.created_at,
        (select count(*)::int from identity_project p where p.domain_id = d.id and p.reserved_for is null) as projects_count,
        (select count(*)::int from identity_user u where u.domain_id = d.id) as users_count
      from identity_domain d where d.id = any($1::text[])`,
    [ids],
  )
  return rows.map(dated<Domain>)
}

/** Reads projects, except the one that system scopes act in, because it does not belong to any tenant. */
async function readProjects(sql: Sql, ids: readonly string[]): Promise<Project[]> {
  const rows = await sql.query<Dated<Project>>(
    `select p.id, p.name, p.description, p.enabled, p.domain_id, p.tags, p.created_at,
        (select count(*)::int from (
          select user_id from identity_assignment where project_id = p.id
          union select user_id from identity_group_assignment join identity_group_member using (group_id)
            where project_id = p.id) as members) as members_count
      from identity_project p where p.id = any($1::text[]) and p.reserved_for is null`,
    [ids],
  )
  return rows.map(dated<Project>)
}

type GroupRow = Dated<Omit<Group, 'role' | 'system_permissions' | 'domain_permissions'>> & { roles: Role[] }

/** SQL for the projects of group `g`. */
const projectsOfGroup = `coalesce((
  select json_agg(json_build_object('project_id', a.project_id, 'role', a.role) order by a.project_id)
    from identity_group_assignment a where a.group_id = g.id), '[]')`

async function readGroups(sql: Sql, ids: readonly string[]): Promise<Group[]> {
  const rows = await sql.query<GroupRow>(
    `select g.id, g.name, g.description, g.domain_id, g.identity_provider, g.roles, g.created_at, ${projectsOfGroup} as assigned_projects,
        (select count(*)::int from identity_group_member m where m.group_id = g.id) as members_count
      from identity_group g where g.id = any($1::text[])`,
    [ids],
  )
  return rows.map(({ roles, ...row }) => {
    const rights = { ...splitRoles(roles), assigned_projects: row.assigned_projects }
    return {
      ...dated<Omit<Group, 'role' | 'system_permissions' | 'domain_permissions'>>(row),
      ...rights,
      role: roleOf(rights),
    }
  })
}

type UserRow = Dated<
  Pick<User, 'id' | 'name' | 'domain_id' | 'enabled' | 'email' | 'description' | 'identity_provider' | 'created_at'>
> & {
  roles: Role[]
  password_state: NonNullable<User['password_state']>
  assigned_projects: User['assigned_projects']
  groups: (Pick<GroupOfUser, 'id' | 'name' | 'assigned_projects'> & { roles: Role[] })[]
}

async function readUsers(sql: Sql, ids: readonly string[]): Promise<User[]> {
  const rows = await sql.query<UserRow>(
    `select u.id, u.name, u.domain_id, u.enabled, u.email, u.description, u.identity_provider, u.created_at,
        case when u.password = '' then 'none' when u.must_change_password then 'temporary' else 'chosen' end as password_state,
        case when u.is_superuser and not 'superuser' = any(u.roles) then array_append(u.roles, 'superuser') else u.roles end as roles,
        coalesce((select json_agg(json_build_object('project_id', a.project_id, 'role', a.role) order by a.project_id, a.role)
          from identity_assignment a join identity_project p on p.id = a.project_id
          where a.user_id = u.id and p.reserved_for is null), '[]') as assigned_projects,
        coalesce((select json_agg(json_build_object(
            'id', g.id, 'name', g.name, 'roles', g.roles, 'assigned_projects', ${projectsOfGroup}) order by g.name, g.id)
          from identity_group_member m join identity_group g on g.id = m.group_id where m.user_id = u.id), '[]') as groups
      from identity_user u where u.id = any($1::text[])`,
    [ids],
  )
  return rows.map(({ roles, groups, password_state, ...row }) => {
    const user = {
      ...(row.identity_provider === null && { password_state }),
      ...dated<Omit<User, 'role' | 'system_permissions' | 'domain_permissions' | 's3_user_id' | 'groups'>>(row),
      ...splitRoles(roles),
      groups: groups.map(({ roles: ofGroup, ...group }) => ({ ...group, ...splitRoles(ofGroup) })),
    }
    return { ...user, role: roleOf(rightsOf(user)), s3_user_id: null }
  })
}

/** Provider settings as stored in the `settings` column: all fields except those that have their own column. */
export type ProviderSettings = Omit<
  DomainProvider,
  'id' | 'name' | 'domain_id' | 'enabled' | 'has_secret' | 'created_at'
>

/** Defaults for providers stored before SAML was supported. */
export const samlDefaults = { sso_url: null, certificates: [] } satisfies Partial<ProviderSettings>

type ProviderRow = Dated<
  Pick<DomainProvider, 'id' | 'name' | 'domain_id' | 'enabled' | 'has_secret' | 'created_at'>
> & {
  settings: ProviderSettings
}

async function readProviders(sql: Sql, ids: readonly string[]): Promise<DomainProvider[]> {
  const rows = await sql.query<ProviderRow>(
    `select id, name, domain_id, enabled, settings, sealed is not null as has_secret, created_at
      from identity_provider where id = any($1::text[])`,
    [ids],
  )
  return rows.map(({ settings, ...row }) => ({
    ...samlDefaults,
    ...settings,
    ...dated<Omit<DomainProvider, keyof ProviderSettings>>(row),
  }))
}

const readers = {
  domain: readDomains,
  project: readProjects,
  group: readGroups,
  user: readUsers,
  identity_provider: readProviders,
} satisfies Record<string, (sql: Sql, ids: readonly string[]) => Promise<Entity[]>>
export type DirectoryKind = keyof typeof readers
const kinds = Object.keys(readers) as DirectoryKind[]
const tableOf = (kind: DirectoryKind) => (kind === 'identity_provider' ? kind : `identity_${kind}`)

/** IDs of the rows that a command changed in the tables, by kind. */
export type Touched = Partial<Record<DirectoryKind, readonly string[]>>

/** Updates the index rows from the tables. Call at the end of each transaction that changes the tables. */
export async function refreshRows(tx: RecordsTransaction, sql: Sql, touched: Touched): Promise<void> {
  for (const kind of kinds) {
    const ids = [...new Set(touched[kind] ?? [])]
    if (ids.length === 0) continue
    const rows = await readers[kind](sql, ids)
    for (const row of rows) await tx.put(kind, row)
    for (const id of ids) if (!rows.some((row) => row.id === id)) await tx.remove(kind, id)
  }
}

/** Returns the groups and projects in which these users count as members. */
export async function membershipsOf(sql: Sql, userIds: readonly string[]): Promise<Touched> {
  const groups = await sql.query<{ id: string }>(
    'select distinct group_id as id from identity_group_member where user_id = any($1::text[])',
    [userIds],
  )
  const group = groups.map(({ id }) => id)
  const projects = await sql.query<{ id: string }>(
    `select project_id as id from identity_assignment where user_id = any($1::text[])
      union select project_id from identity_group_assignment where group_id = any($2::text[])`,
    [userIds, group],
  )
  return { group, project: projects.map(({ id }) => id) }
}

/** Reads one row from the tables. */
export async function readRow<Row>(sql: Sql, kind: DirectoryKind, id: string): Promise<Row> {
  const [row] = await readers[kind](sql, [id])
  return row as Row
}

const AT_ONCE = 500

/** Updates the whole index from the tables, and removes index rows that no longer exist in the tables. */
export async function indexDirectory({ transaction }: RecordsAndTables): Promise<void> {
  for (const kind of kinds) {
    const ids = await transaction(async (tx, sql) => {
      const inTables = await sql.query<{ id: string }>(`select id from ${tableOf(kind)}`)
      const inIndex = await tx.find(kind, {})
      return [...new Set([...inTables, ...inIndex].map(({ id }) => id))]
    })
    for (let at = 0; at < ids.length; at += AT_ONCE)
      await transaction((tx, sql) => refreshRows(tx, sql, { [kind]: ids.slice(at, at + AT_ONCE) }))
  }
}
