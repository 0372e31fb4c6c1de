import { randomUUID } from 'node:crypto'
import { mostProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import type { Mapping } from '@mainstay/contract/identity/provider-mapping'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Role } from '@mainstay/contract/permissions'
import { isSystemAdministrator, requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import type { KeptProvider, ProvidersPort } from '../../../ports/federation'
import type { Scope } from '../../../ports/scope'
import { lockDomain } from './domains'
import { folded } from './names'
import { samlDefaults, membershipsOf, readRow, refreshRows, type ProviderSettings } from './rows'
import { refuseDuplicate } from './rules'

type ProviderRow = Pick<DomainProvider, 'id' | 'name' | 'domain_id' | 'enabled'> & {
  settings: ProviderSettings
  sealed: Buffer | null
  created_at: Date
  domain_name: string
}

const keptColumns = `p.id, p.name, p.domain_id, p.enabled, p.settings, p.sealed, p.created_at, d.name as domain_name
  from identity_provider p join identity_domain d on d.id = p.domain_id`

const keptOf = ({ settings, sealed, created_at, ...row }: ProviderRow): KeptProvider => ({
  ...samlDefaults,
  ...settings,
  ...row,
  sealed,
  has_secret: sealed !== null,
  created_at: created_at.toISOString(),
})

/** Throws a `validation` error on the field of the first rule whose group or project does not exist in the domain. */
export async function checkMapping(sql: Sql, domainId: string, { rules }: Mapping): Promise<void> {
  const known = new Set(
    (
      await sql.query<{ id: string }>(
        `select id from identity_group where domain_id = $1 and id = any($2::text[])
          union all select id from identity_project where domain_id = $1 and id = any($3::text[]) and reserved_for is null`,
        [domainId, rules.flatMap((it) => it.group_id ?? []), rules.flatMap((it) => it.project_id ?? [])],
      )
    ).map(({ id }) => id),
  )
  for (const [at, { name, group_id, project_id }] of rules.entries()) {
    if (group_id !== null && !known.has(group_id))
      throw fieldProblem(`mapping.rules.${at}.group_id`, 'identity.rule_of_unknown_group', { name })
    if (project_id !== null && !known.has(project_id))
      throw fieldProblem(`mapping.rules.${at}.project_id`, 'identity.rule_of_unknown_project', { name })
  }
}

/**
 * Refuses a change to a provider whose users or groups have system permissions unless the caller is a system
 * administrator, because the operator of an identity provider can sign in as any of its users.
 */
async function refuseAbove(sql: Sql, scope: Scope, mapping: Mapping, providerId: string | null): Promise<void> {
  const rows = await sql.query<{ roles: Role[] }>(
    `select roles from identity_group where id = any($1::text[])
      union all select roles from identity_user where identity_provider = $2
      union all select g.roles from identity_user u join identity_group_member m on m.user_id = u.id
        join identity_group g on g.id = m.group_id where u.identity_provider = $2`,
    [mapping.rules.flatMap((it) => it.group_id ?? []), providerId],
  )
  requireSystemAdministrator(scope, { roles: rows.flatMap(({ roles }) => roles) }, 'provider')
}

/**
 * Refuses system permissions for a group that a provider's rule assigns, unless a system administrator made the last
 * change to that provider. Otherwise, a domain administrator could decide who gets these permissions. Throws a
 * `validation` error that names the provider.
 */
export async function refuseUnconfirmed(sql: Sql, groupId: string): Promise<void> {
  const [provider] = await sql.query<{ name: string }>(
    `select name from identity_provider where not is_confirmed and settings -> 'mapping' -> 'rules' @> $1::jsonb
      order by name limit 1`,
    [JSON.stringify([{ group_id: groupId }])],
  )
  if (provider) throw fieldProblem('system_permissions', 'identity.group_given_by_rule', { name: provider.name })
}

async function lockProvider(sql: Sql, domainId: string, id: string): Promise<ProviderRow> {
  const [row] = await sql.query<ProviderRow>(
    `select ${keptColumns} where p.id = $1 and p.domain_id = $2 for update of p`,
    [id, domainId],
  )
  if (!row) throw notFound()
  return row
}

/** Applies a change. Omitted fields stay unchanged. */
const changed = (
  before: ProviderSettings,
  change: { [Name in keyof ProviderSettings]?: ProviderSettings[Name] | undefined },
): ProviderSettings => ({
  ...before,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
})

const usersOf = async (sql: Sql, id: string): Promise<string[]> =>
  (await sql.query<{ id: string }>('select id from identity_user where identity_provider = $1', [id])).map(
    (it) => it.id,
  )

export const providerCommands = (sql: Sql, { transaction }: RecordsAndTables): ProvidersPort => ({
  create: (scope, domainId, { name, enabled, ...settings }, seal) =>
    transaction(async (tx, inside) => {
      await lockDomain(inside, domainId, 'update')
      await checkMapping(inside, domainId, settings.mapping)
      await refuseAbove(inside, scope, settings.mapping, null)
      const there = await inside.query('select id from identity_provider where domain_id = $1', [domainId])
      if (there.length >= mostProviders) throw problem('identity.too_many_providers', { most: mostProviders })
      const id = randomUUID()
      await inside
        .query(
          `insert into identity_provider (id, domain_id, name, folded_name, enabled, settings, sealed, is_confirmed)
            values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            ...[id, domainId, name, folded(name), enabled, JSON.stringify(settings), seal(id)],
            isSystemAdministrator(scope),
          ],
        )
        .catch(refuseDuplicate('provider'))
      await refreshRows(tx, inside, { identity_provider: [id] })
      return readRow<DomainProvider>(inside, 'identity_provider', id)
    }),

  update: (scope, domainId, id, change, seal) =>
    transaction(async (tx, inside) => {
      const before = await lockProvider(inside, domainId, id)
      const { name, enabled, ...rest } = change
      await refuseAbove(inside, scope, before.settings.mapping, id)
      if (rest.mapping) {
        await checkMapping(inside, domainId, rest.mapping)
        await refuseAbove(inside, scope, rest.mapping, id)
      }
      const settings = changed(before.settings, rest)
      if (settings.issuer !== before.settings.issuer && (await usersOf(inside, id)).length > 0)
        throw fieldProblem('issuer', 'identity.issuer_has_users')
      await inside
        .query(
          `update identity_provider set name = $2, folded_name = $3, enabled = $4, settings = $5, sealed = $6,
              is_confirmed = $7 where id = $1`,
          [
            ...[id, name ?? before.name, folded(name ?? before.name), enabled ?? before.enabled],
            ...[JSON.stringify(settings), seal ? seal(id) : before.sealed, isSystemAdministrator(scope)],
          ],
        )
        .catch(refuseDuplicate('provider'))
      await refreshRows(tx, inside, { identity_provider: [id] })
      return readRow<DomainProvider>(inside, 'identity_provider', id)
    }),

  delete: (scope, domainId, id, { withUsers }) =>
    transaction(async (tx, inside) => {
      const { settings } = await lockProvider(inside, domainId, id)
      await refuseAbove(inside, scope, settings.mapping, id)
      const user = await usersOf(inside, id)
      if (user.length > 0 && !withUsers)
        throw problem('identity.provider_has_users', { count: user.length }, { data: { users: user.length } })
      const left = await membershipsOf(inside, user)
      await inside.query('delete from identity_user where identity_provider = $1', [id])
      await inside.query('delete from identity_provider where id = $1', [id])
      await refreshRows(tx, inside, { ...left, identity_provider: [id], user, domain: [domainId] })
    }),

  sealed: () => sql.query('select id, sealed from identity_provider where sealed is not null'),

  async open(domain) {
    const rows = await sql.query<ProviderRow>(
      `select ${keptColumns} where (d.name = $1 or d.id = $1) and p.enabled and d.enabled order by p.name, p.id`,
      [domain],
    )
    return rows.map(keptOf)
  },

  async find(id) {
    const [row] = await sql.query<ProviderRow>(`select ${keptColumns} where p.id = $1 and p.enabled and d.enabled`, [
      id,
    ])
    return row ? keptOf(row) : null
  },
})
