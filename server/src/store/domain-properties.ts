import { computeFeatures } from '@mainstay/contract/compute/cluster-settings'
import {
  domainFeatures,
  mostProperties,
  type DomainFeature,
  type DomainProperty,
  type PropertyAccess,
} from '@mainstay/contract/identity/domain-properties'
import { notFound, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Sql } from '@mainstay/engines/ports/engines'
import { withRecord } from '../audit/acts'
import type { Settings } from '../settings/settings'

/**
 * Properties that programs store for domains, by key. They are kept on this server, whichever engine manages the
 * domains.
 */
export interface DomainProperties {
  /** Keys by domain, for domains that have any, or only for the domain `domainId`. */
  keys(domainId: string | null, readable: readonly PropertyAccess[]): Promise<{ domain_id: string; keys: string[] }[]>
  list(domainId: string, readable: readonly PropertyAccess[]): Promise<Omit<DomainProperty, 'data'>[]>
  /** Returns a property of a domain; null if it does not exist. */
  find(domainId: string, key: string): Promise<DomainProperty | null>
  /** Default features of domains that have no setting of their own, as operators have set them (`featureSetting`). */
  features(): Promise<Record<DomainFeature, boolean>>
  /** Whether a feature is enabled. The default applies if it is unset or neither true nor false. */
  has(domainId: string, feature: DomainFeature): Promise<boolean>
  /** Stores a new property. Throws `conflict` if the key exists or the domain has reached the limit. */
  create(domainId: string, property: DomainProperty): Promise<DomainProperty>
  /** Updates a property. Omitted fields are kept. Throws `not_found`. */
  update(
    domainId: string,
    key: string,
    change: { data?: unknown; access?: PropertyAccess | undefined },
  ): Promise<DomainProperty>
  /** Deletes a property. Throws `not_found`. */
  delete(domainId: string, key: string): Promise<void>
}

/** Setting that stores which features operators have enabled or disabled for all domains. */
export const featureSetting = {
  name: 'compute_features',
  shape: z.partialRecord(z.enum(computeFeatures), z.boolean()),
}

type Row = Omit<DomainProperty, 'data'> & { data: string }
const fromRow = ({ data, ...row }: Row): DomainProperty => ({ ...row, data: JSON.parse(data) as unknown })

export function createDomainProperties(sql: Sql, settings: Pick<Settings, 'read'>): DomainProperties {
  /** Writes a change together with its audit entry. */
  const change = (domainId: string, work: (inside: Sql) => Promise<DomainProperty>): Promise<DomainProperty> =>
    withRecord(sql, async (inside, record) => {
      await inside.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`domain properties ${domainId}`])
      const done = await work(inside)
      await record()
      return done
    })
  const find = async (inside: Sql, domainId: string, key: string): Promise<DomainProperty | null> => {
    const [row] = await inside.query<Row>(
      'select key, data, access from domain_property where domain_id = $1 and key = $2',
      [domainId, key],
    )
    return row ? fromRow(row) : null
  }

  const features = async (): Promise<Record<DomainFeature, boolean>> => ({
    ...domainFeatures,
    ...(await settings.read(featureSetting))?.value,
  })

  return {
    features,
    keys: (domainId, readable) =>
      sql.query(
        `select domain_id, array_agg(key order by key) as keys from domain_property
          where ($1::text is null or domain_id = $1) and access = any($2::text[]) group by domain_id order by domain_id`,
        [domainId, readable],
      ),
    list: (domainId, readable) =>
      sql.query(
        'select key, access from domain_property where domain_id = $1 and access = any($2::text[]) order by key',
        [domainId, readable],
      ),
    find: (domainId, key) => find(sql, domainId, key),
    async has(domainId, feature) {
      const set = (await find(sql, domainId, feature))?.data
      return typeof set === 'boolean' ? set : (await features())[feature]
    },

    create: (domainId, { key, data, access }) =>
      change(domainId, async (inside) => {
        if (await find(inside, domainId, key)) throw problem('identity.property_exists')
        const all = await inside.query('select key from domain_property where domain_id = $1', [domainId])
        if (all.length >= mostProperties) throw problem('identity.too_many_properties', { most: mostProperties })
        await inside.query('insert into domain_property (domain_id, key, access, data) values ($1, $2, $3, $4)', [
          ...[domainId, key, access, JSON.stringify(data)],
        ])
        return { key, data, access }
      }),

    update: (domainId, key, wanted) =>
      change(domainId, async (inside) => {
        const [row] = await inside.query<Row>(
          `update domain_property set data = coalesce($3, data), access = coalesce($4, access)
            where domain_id = $1 and key = $2 returning key, data, access`,
          [domainId, key, 'data' in wanted ? JSON.stringify(wanted.data) : null, wanted.access ?? null],
        )
        if (!row) throw notFound()
        return fromRow(row)
      }),

    async delete(domainId, key) {
      await change(domainId, async (inside) => {
        const [row] = await inside.query<Row>(
          'delete from domain_property where domain_id = $1 and key = $2 returning key, data, access',
          [domainId, key],
        )
        if (!row) throw notFound()
        return fromRow(row)
      })
    },
  }
}
