import type { Domain } from '@mainstay/contract/identity/domains'
import type { Project } from '@mainstay/contract/identity/projects'
import { roleOf, splitRoles } from '@mainstay/contract/identity/user-roles'
import type { User } from '@mainstay/contract/identity/users'
import type { Role } from '@mainstay/contract/permissions'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import type { Entity, RecordsTransaction } from '../../../ports/records'

/*
 * Sign-in reads tables of domains, projects, users and assignments; lists read the index. Rows of the index are made of the
 * tables, in the transaction that changes these.
 */

type Dated<Row> = Omit<Row, 'created_at'> & { created_at: Date }
const dated = <Row extends { created_at: string }>(row: Dated<Row>): Row =>
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

/** The project that system scopes make things in is no tenant's, and is not shown. */
async function readProjects(sql: Sql, ids: readonly string[]): Promise<Project[]> {
  const rows = await sql.query<Dated<Project>>(
    `select p.id, p.name, p.description, p.enabled, p.domain_id, p.tags, p.created_at,
        (select count(distinct a.user_id)::int from identity_assignment a where a.project_id = p.id) as members_count
      from identity_project p where p.id = any($1::text[]) and p.reserved_for is null`,
    [ids],
  )
  return rows.map(dated<Project>)
}

type UserRow = Dated<
  Pick<User, 'id' | 'name' | 'domain_id' | 'enabled' | 'email' | 'description' | 'identity_provider' | 'created_at'>
> & { roles: Role[]; assigned_projects: User['assigned_projects'] }

async function readUsers(sql: Sql, ids: readonly string[]): Promise<User[]> {
  const rows = await sql.query<UserRow>(
    `select u.id, u.name, u.domain_id, u.enabled, u.email, u.description, u.identity_provider, u.created_at,
        case when u.is_superuser and not 'superuser' = any(u.roles) then array_append(u.roles, 'superuser') else u.roles end as roles,
        coalesce((select json_agg(json_build_object('project_id', a.project_id, 'role', a.role) order by a.project_id, a.role)
          from identity_assignment a join identity_project p on p.id = a.project_id
          where a.user_id = u.id and p.reserved_for is null), '[]') as assigned_projects
      from identity_user u where u.id = any($1::text[])`,
    [ids],
  )
  return rows.map(({ roles, ...row }) => {
    const user = { ...dated<Omit<User, 'role' | 'system_permissions' | 'domain_permissions' | 's3_user_id'>>(row) }
    const rights = { ...splitRoles(roles), assigned_projects: row.assigned_projects }
    return { ...user, ...rights, role: roleOf(rights), s3_user_id: null }
  })
}

const readers = { domain: readDomains, project: readProjects, user: readUsers } satisfies Record<
  string,
  (sql: Sql, ids: readonly string[]) => Promise<Entity[]>
>
export type DirectoryKind = keyof typeof readers
const kinds = Object.keys(readers) as DirectoryKind[]

/** What a command has changed in the tables, by kind. */
export type Touched = Partial<Record<DirectoryKind, readonly string[]>>

/** Brings rows of the index up to what the tables say: at the end of each transaction that changes these. */
export async function refreshRows(tx: RecordsTransaction, sql: Sql, touched: Touched): Promise<void> {
  for (const kind of kinds) {
    const ids = [...new Set(touched[kind] ?? [])]
    if (ids.length === 0) continue
    const rows = await readers[kind](sql, ids)
    for (const row of rows) await tx.put(kind, row)
    for (const id of ids) if (!rows.some((row) => row.id === id)) await tx.remove(kind, id)
  }
}

/** One row as the tables have it. */
export async function readRow<Row>(sql: Sql, kind: DirectoryKind, id: string): Promise<Row> {
  const [row] = await readers[kind](sql, [id])
  return row as Row
}

const AT_ONCE = 500

/** Makes the index of what the tables had before there was one, and takes out what is no longer there. */
export async function indexDirectory({ transaction }: RecordsAndTables): Promise<void> {
  for (const kind of kinds) {
    const ids = await transaction(async (tx, sql) => {
      const inTables = await sql.query<{ id: string }>(`select id from identity_${kind}`)
      const inIndex = await tx.find(kind, {})
      return [...new Set([...inTables, ...inIndex].map(({ id }) => id))]
    })
    for (let at = 0; at < ids.length; at += AT_ONCE)
      await transaction((tx, sql) => refreshRows(tx, sql, { [kind]: ids.slice(at, at + AT_ONCE) }))
  }
}
