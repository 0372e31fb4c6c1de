import { randomUUID } from 'node:crypto'
import { quotaKind } from '@mainstay/contract/compute/quotas'
import { notFound } from '@mainstay/contract/core/problems'
import type { Domain } from '@mainstay/contract/identity/domains'
import { networkKind } from '@mainstay/contract/networking/networks'
import type { DomainsPort } from '../../../ports/directory'
import { forgetDomain } from '../../networking/forget-target'
import { refuseDefaultDomain, refuseFullDomain } from '../../../ports/directory-rules'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { membershipsOf, readRow, refreshRows } from './rows'
import { refuseDuplicate } from './rules'

/**
 * Locks a domain: with `share` to create objects in it, with `update` to delete it. Throws `not_found` if it does not
 * exist.
 */
export async function lockDomain(sql: Sql, id: string, mode: 'share' | 'update'): Promise<void> {
  const [domain] = await sql.query(`select id from identity_domain where id = $1 for ${mode}`, [id])
  if (!domain) throw notFound()
}

/** Commands for domains. `isSourceOf` returns whether this engine owns the given kind of row. */
export const domainCommands = (
  { transaction }: RecordsAndTables,
  isSourceOf: (kind: string) => boolean,
): DomainsPort => ({
  create: (_, { name, description, enabled }) =>
    transaction(async (tx, sql) => {
      const id = randomUUID()
      await sql
        .query('insert into identity_domain (id, name, description, enabled) values ($1, $2, $3, $4)', [
          ...[id, name, description, enabled],
        ])
        .catch(refuseDuplicate('domain'))
      await refreshRows(tx, sql, { domain: [id] })
      return readRow<Domain>(sql, 'domain', id)
    }),

  update: (_, id, { name, description, enabled }) =>
    transaction(async (tx, sql) => {
      if (enabled === false) refuseDefaultDomain(id, 'disabled')
      const changed = await sql
        .query(
          `update identity_domain set name = coalesce($2, name), description = coalesce($3, description),
              enabled = coalesce($4, enabled)
            where id = $1 returning id`,
          [id, name ?? null, description ?? null, enabled ?? null],
        )
        .catch(refuseDuplicate('domain'))
      if (changed.length === 0) throw notFound()
      await refreshRows(tx, sql, { domain: [id] })
      return readRow<Domain>(sql, 'domain', id)
    }),

  delete: (_, id, { withUsers }) =>
    transaction(async (tx, sql) => {
      await lockDomain(sql, id, 'update')
      refuseDefaultDomain(id, 'deleted')
      const projects = await sql.query('select id from identity_project where domain_id = $1', [id])
      const users = await sql.query<{ id: string }>('select id from identity_user where domain_id = $1', [id])
      refuseFullDomain(projects.length, users.length, { withUsers })
      const groups = await sql.query<{ id: string }>('select id from identity_group where domain_id = $1', [id])
      const providers = await sql.query<{ id: string }>('select id from identity_provider where domain_id = $1', [id])
      const left = await membershipsOf(
        sql,
        users.map((it) => it.id),
      )
      await sql.query('delete from identity_user where domain_id = $1', [id])
      await sql.query('delete from identity_domain where id = $1', [id])
      if (isSourceOf(quotaKind.name)) await tx.remove(quotaKind.name, id)
      if (isSourceOf(networkKind.name)) await forgetDomain(tx, id)
      await refreshRows(tx, sql, {
        ...left,
        domain: [id],
        user: users.map((it) => it.id),
        group: groups.map((it) => it.id),
        identity_provider: providers.map((it) => it.id),
      })
    }),
})
