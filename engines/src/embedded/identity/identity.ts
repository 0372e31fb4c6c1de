import { randomUUID } from 'node:crypto'
import { problem, fieldProblem } from '@mainstay/contract/core/problems'
import { securityGroupKind } from '@mainstay/contract/networking/security-groups'
import type { RecordsAndTables } from '../../ports/engine'
import type { FirstStart, Sql } from '../../ports/engines'
import {
  entersWholeDomain,
  type Authenticated,
  type DomainRecord,
  type IdentityPort,
  type ProjectRecord,
  type UserRecord,
} from '../../ports/identity'
import { defaultGroup } from '../networking/groups-of-ports'
import { domainCommands } from './directory/domains'
import { passwordLinks } from './directory/password-links'
import { federation } from './directory/federated-users'
import { groupCommands } from './directory/groups'
import { directoryImports } from './directory/imports'
import { projectCommands } from './directory/projects'
import { indexDirectory, refreshRows } from './directory/rows'
import { refuseDuplicate } from './directory/rules'
import { userCommands } from './directory/users'
import { fillOnFirstStart } from './first-start'
import { hashPassword, passwordCost, passwordMatches, type PasswordCost } from './passwords'

type UserRow = Omit<UserRecord, 'assigned_projects'> & { assigned_projects: UserRecord['assigned_projects'] | null }

/**
 * SQL columns of a user, with permissions granted directly and through groups. Users of a disabled identity provider
 * count as disabled.
 */
const userColumns = `u.id, u.name, u.domain_id, u.email, u.is_superuser, u.identity_provider, u.must_change_password,
  u.enabled and not exists (select from identity_provider p where p.id = u.identity_provider and not p.enabled) as enabled,
  u.roles || array(select distinct role from identity_group_member m join identity_group g on g.id = m.group_id,
    unnest(g.roles) as role where m.user_id = u.id and role <> all(u.roles) order by role) as roles,
  (select json_agg(json_build_object('project_id', a.project_id, 'role', a.role) order by a.project_id, a.role)
    from (
      select project_id, role from identity_assignment where user_id = u.id
      union select project_id, role from identity_group_member join identity_group_assignment using (group_id)
        where user_id = u.id) as a) as assigned_projects`
const projectColumns = 'p.id, p.name, p.description, p.domain_id, p.enabled'

const fromRow = ({ assigned_projects, ...row }: UserRow): UserRecord => ({
  ...row,
  assigned_projects: assigned_projects ?? [],
})

export interface EmbeddedIdentity {
  identity: IdentityPort
  /** The administrator created on the first start; null on later starts. */
  firstStart: FirstStart | null
  /** Indexes users, groups, projects and domains, so that they appear in lists. */
  open(): Promise<void>
}

/** Opens the domains, projects, users and groups in the server's own database. Fills the tables on the first start. */
export async function openEmbeddedIdentity(options: {
  sql: Sql
  records: RecordsAndTables
  /** Whether this engine owns the given kind of row. */
  isSourceOf(kind: string): boolean
  /** Password of the administrator created on the first start; generated if null. */
  adminPassword: string | null
  cost?: PasswordCost
}): Promise<EmbeddedIdentity> {
  const { sql, isSourceOf, cost = passwordCost } = options
  // serializes changes, so that each change sees the limits and membership counts left by the previous one
  const records: RecordsAndTables = {
    ...options.records,
    transaction: (work) =>
      options.records.transaction(async (tx, tables) => {
        await tx.exclusive('directory')
        return work(tx, tables)
      }),
  }
  const firstStart = await fillOnFirstStart(sql, options.adminPassword, cost)
  // An unknown username takes as long to reject as a wrong password.
  const nobodysPassword = await hashPassword(randomUUID(), cost)

  async function userBy(where: string, values: unknown[]): Promise<(UserRecord & { password: string }) | null> {
    const [row] = await sql.query<UserRow & { password: string }>(
      `select ${userColumns}, u.password from identity_user u join identity_domain d on d.id = u.domain_id where ${where}`,
      values,
    )
    return row ? { ...fromRow(row), password: row.password } : null
  }
  const withoutPassword = ({ password: _, ...user }: UserRecord & { password: string }): UserRecord => user
  const authenticated = (user: UserRecord & { password: string }): Authenticated => ({
    user: withoutPassword(user),
    credential: null,
    expires_at: null,
    bound: null,
  })

  const identity: IdentityPort = {
    async authenticate(username, password, domainName) {
      const user = await userBy('u.name = $1 and d.name = $2 and u.identity_provider is null', [username, domainName])
      const matches = await passwordMatches(password, user?.password || nobodysPassword)
      return matches && user ? authenticated(user) : null
    },

    async authenticateApplication() {
      throw problem('identity.no_application_credentials')
    },
    handOver: null,
    federation: federation(sql, records),
    directory: {
      domains: domainCommands(records, isSourceOf),
      projects: projectCommands(records, isSourceOf),
      users: userCommands(records, cost),
      passwordLinks: passwordLinks(sql, records, cost),
      groups: groupCommands(records),
    },
    imports: directoryImports(sql, records),

    async user(id) {
      const user = await userBy('u.id = $1', [id])
      return user && withoutPassword(user)
    },

    async domain(id) {
      const [row] = await sql.query<DomainRecord>('select id, name, enabled from identity_domain where id = $1', [id])
      return row ?? null
    },

    async project(id) {
      const [row] = await sql.query<ProjectRecord>(
        `select ${projectColumns}, p.reserved_for is not null as is_reserved from identity_project p where p.id = $1`,
        [id],
      )
      return row ?? null
    },

    projectsOf: (user) =>
      sql.query(
        `select ${projectColumns}, d.name as domain_name
          from identity_project p join identity_domain d on d.id = p.domain_id
          where p.reserved_for is null and (p.id = any($1::text[]) or p.domain_id = $2)
          order by p.name, p.id`,
        [user.assigned_projects.map((it) => it.project_id), entersWholeDomain(user) ? user.domain_id : null],
      ),

    async changePassword(userId, current, next) {
      const user = await userBy('u.id = $1 and u.identity_provider is null', [userId])
      if (!user || !(await passwordMatches(current, user.password))) return null
      // of two concurrent changes, the second fails because the current password no longer matches
      const hash = await hashPassword(next, cost)
      const changed = await sql.transaction((inside) =>
        inside.query('update identity_user set password = $2 where id = $1 and password = $3 returning id', [
          userId,
          hash,
          user.password,
        ]),
      )
      return changed.length === 1 ? authenticated(user) : null
    },

    async renewPassword(userId, next) {
      const user = await userBy('u.id = $1 and u.identity_provider is null and u.must_change_password', [userId])
      if (!user) throw problem('identity.password_changed')
      if (await passwordMatches(next, user.password)) throw fieldProblem('new_password', 'identity.password_is_current')
      const hash = await hashPassword(next, cost)
      await records.transaction(async (tx, tables) => {
        await tables.query('update identity_user set password = $2, must_change_password = false where id = $1', [
          userId,
          hash,
        ])
        await refreshRows(tx, tables, { user: [userId] })
      })
    },

    async adminProjectId() {
      const [row] = await sql.query<{ id: string }>("select id from identity_project where reserved_for = 'system'")
      if (!row) throw new Error('the project of the system scope is missing from the database')
      return row.id
    },

    createDomain: ({ name, enabled = true }) =>
      records.transaction(async (tx, tables) => {
        const [row] = await tables
          .query<DomainRecord>(
            'insert into identity_domain (id, name, enabled) values ($1, $2, $3) returning id, name, enabled',
            [randomUUID(), name, enabled],
          )
          .catch(refuseDuplicate('domain'))
        await refreshRows(tx, tables, { domain: [row!.id] })
        return row!
      }),

    createProject: ({ name, domain_id, description = '', enabled = true }) =>
      records.transaction(async (tx, tables) => {
        const [row] = await tables
          .query<ProjectRecord>(
            `insert into identity_project as p (id, domain_id, name, description, enabled)
              values ($1, $2, $3, $4, $5) returning ${projectColumns}`,
            [randomUUID(), domain_id, name, description, enabled],
          )
          .catch(refuseDuplicate('project'))
        await refreshRows(tx, tables, { project: [row!.id], domain: [domain_id] })
        if (isSourceOf(securityGroupKind.name)) await defaultGroup(tx, { project_id: row!.id, domain_id })
        return row!
      }),

    async createUser({
      name,
      domain_id,
      email = null,
      is_superuser = false,
      roles = [],
      assigned_projects = [],
      ...draft
    }) {
      const id = randomUUID()
      const password = await hashPassword(draft.password, cost)
      await records.transaction(async (tx, tables) => {
        await tables
          .query(
            `insert into identity_user (id, domain_id, name, email, is_superuser, roles, password)
              values ($1, $2, $3, $4, $5, $6, $7)`,
            [id, domain_id, name, email, is_superuser, roles, password],
          )
          .catch(refuseDuplicate('user'))
        for (const { project_id, role } of assigned_projects) {
          await tables.query('insert into identity_assignment (user_id, project_id, role) values ($1, $2, $3)', [
            ...[id, project_id, role],
          ])
        }
        const projects = assigned_projects.map((it) => it.project_id)
        await refreshRows(tx, tables, { user: [id], domain: [domain_id], project: projects })
      })
      return (await identity.user(id))!
    },

    setEnabled: (kind, id, enabled) =>
      records.transaction(async (tx, tables) => {
        await tables.query(`update identity_${kind} set enabled = $2 where id = $1`, [id, enabled])
        await refreshRows(tx, tables, { [kind]: [id] })
      }),
  }
  return { identity, firstStart, open: () => indexDirectory(records) }
}
