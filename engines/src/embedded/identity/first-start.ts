import { randomUUID } from 'node:crypto'
import { hashPassword, makePassword, type PasswordCost } from './passwords'
import type { FirstStart, Sql } from '../../ports/engines'

/** Advisory lock that lets only one of several servers fill the empty tables. */
const LOCK = 0x6d61_696e

/**
 * Creates the domain `Default` with the ID `default`, which clients expect, the projects `admin` and `demo`, and the
 * user `admin`. Returns null if the domain already exists.
 */
export function fillOnFirstStart(
  sql: Sql,
  adminPassword: string | null,
  cost: PasswordCost,
): Promise<FirstStart | null> {
  return sql.transaction(async (inside) => {
    await inside.query('select pg_advisory_xact_lock($1)', [LOCK])
    const [there] = await inside.query<{ id: string }>('select id from identity_domain where id = $1', ['default'])
    if (there) return null
    const password = adminPassword ?? makePassword()
    const [admin, demo, user] = [randomUUID(), randomUUID(), randomUUID()]
    await inside.query("insert into identity_domain (id, name) values ('default', 'Default')")
    await inside.query(
      `insert into identity_project (id, domain_id, name, description, reserved_for) values
        ($1, 'default', 'admin', 'Resources of operators outside all tenants', 'system'),
        ($2, 'default', 'demo', 'A first project for testing', null)`,
      [admin, demo],
    )
    await inside.query(
      `insert into identity_user (id, domain_id, name, is_superuser, roles, password)
        values ($1, 'default', 'admin', true, '{superuser}', $2)`,
      [user, await hashPassword(password, cost)],
    )
    await inside.query(
      `insert into identity_assignment (user_id, project_id, role) values
        ($1, $2, 'project_admin'), ($1, $3, 'project_admin')`,
      [user, admin, demo],
    )
    return { username: 'admin', password: adminPassword === null ? password : null }
  })
}
