import { says } from '../core/said'
import * as z from 'zod'
import type { AreaQuota } from '../core/area'
import { MiB } from '../core/bytes'
import { create, endpoints, read, update } from '../core/endpoint'
import type { PathOf } from '../core/fields'
import { kind } from '../core/kind'

/** A limit of -1 means unlimited. Both values are 0 if the service is not available. */
const Amount = z.object({ limit: z.number().int(), used: z.number().int() })
export type QuotaAmount = z.infer<typeof Amount>

/** A project's limits and usage, by service. Sizes are in bytes. */
export const Quotas = z.object({
  compute: z.object({ instances: Amount, cores: Amount, ram: Amount }),
  storage: z.object({
    volumes: Amount,
    /** Keyed by storage policy name. */
    storage_policies: z.record(z.string(), Amount),
    volumes_backups: Amount,
  }),
  image: z.object({
    images: Amount,
    /** Total size of the stored image files, in bytes. */
    image_storage: Amount,
  }),
  network: z.object({
    networks: Amount,
    subnets: Amount,
    ports: Amount,
    routers: Amount,
    floatingip: Amount,
    security_groups: Amount,
    security_group_rules: Amount,
    ipsec_site_connection: Amount,
  }),
  k8saas: z.object({ cluster: Amount }),
  lbaas: z.object({ loadbalancer: Amount }),
  /** Keyed by placement name. */
  placement: z.record(z.string(), Amount),
})
export type Quotas = z.infer<typeof Quotas>
type Place = PathOf<Quotas> extends infer Path ? (Path extends `${infer At}.limit` ? At : never) : never

/**
 * Declares a quota for an area. API calls, engine checks, metrics and the console's usage meters are derived from it.
 */
export const quota = <const Given extends AreaQuota & { at: Place }>(given: Given): Given => given

/** The storage policy under which all of a project's storage is counted. */
export const DEFAULT_STORAGE_POLICY = 'default'

/** Highest limit for a number of objects, because clouds store it as a 32-bit integer. */
export const MAX_QUOTA_THINGS = 2 ** 31 - 1

const Things = z.strictObject({
  limit: z
    .int()
    .min(-1, says('compute.quota_no_limit'))
    .max(MAX_QUOTA_THINGS, says('core.at_most', { most: MAX_QUOTA_THINGS })),
})
const Bytes = z.strictObject({ limit: z.int().min(-1, says('compute.quota_no_limit')) })
const WholeMiB = z.strictObject({
  limit: Bytes.shape.limit.refine((bytes) => bytes < 0 || bytes % MiB === 0, says('compute.whole_mib')),
})
const Policies = z.strictObject({ [DEFAULT_STORAGE_POLICY]: Bytes }).partial()

/* Limits for services that are not available are refused with an explanation. */
const NoBackups = z.never(says('compute.no_backup_quota')).optional()
const NoClusters = z.never(says('compute.no_kubernetes_quota')).optional()
const NoPlacements = z.never(says('compute.no_placement_quota')).optional()

/** New limits for a project, by service; -1 means unlimited. Omitted limits stay unchanged. Sizes are in bytes. */
export const QuotasChange = z
  .strictObject({
    compute: z.strictObject({ instances: Things, cores: Things, ram: WholeMiB }).partial(),
    storage: z.strictObject({ volumes: Things, storage_policies: Policies, volumes_backups: Bytes }).partial(),
    image: z.strictObject({ images: Things, image_storage: Bytes }).partial(),
    network: z
      .strictObject({
        networks: Things,
        subnets: Things,
        ports: Things,
        routers: Things,
        floatingip: Things,
        security_groups: Things,
        security_group_rules: Things,
        ipsec_site_connection: Things,
      })
      .partial(),
    lbaas: z.strictObject({ loadbalancer: Things }).partial(),
    k8saas: NoClusters,
    placement: NoPlacements,
  })
  .partial()
  .meta({ examples: [{ compute: { cores: { limit: 100 } } }] })
export type QuotasChange = z.infer<typeof QuotasChange>

/** A domain's limits, and the total usage of all its projects. A limit of -1 means unlimited. Sizes are in bytes. */
export const DomainQuotas = z.object({
  compute: z.object({ cores: Amount, ram: Amount }),
  storage: z.object({ storage_policies: z.record(z.string(), Amount) }),
})
export type DomainQuotas = z.infer<typeof DomainQuotas>

export const DomainQuotasChange = z
  .strictObject({
    compute: z.strictObject({ cores: Things, ram: WholeMiB }).partial(),
    storage: z.strictObject({ storage_policies: Policies, volumes_backups: NoBackups }).partial(),
  })
  .partial()
  .meta({ examples: [{ compute: { cores: { limit: 400 } } }] })
export type DomainQuotasChange = z.infer<typeof DomainQuotasChange>

/** Limits that were set for a project or, if `project_id` is null, for a whole domain. */
export const QuotaRecord = z.object({
  /** ID of the project or of the domain. */
  id: z.string(),
  project_id: z.string().nullable(),
  domain_id: z.string(),
  /** Keyed by quota name, each in the unit that the quota declares. */
  limits: z.record(z.string(), z.number().int()),
})
export type QuotaRecord = z.infer<typeof QuotaRecord>

/**
 * Rows of this kind exist only to notify open pages when limits change. They cannot be listed; the calls below return
 * them individually.
 */
export const quotaKind = kind({
  name: 'quota',
  entity: QuotaRecord,
  visibility: 'administered',
  filters: ['id'],
  sortKeys: [{ name: 'id', type: 'id' }],
  defaultSort: 'id:asc',
  search: ['id'],
  permissions: { collection: 'compute_quotas', item: 'compute_quotas' },
})

const path = '/api/v2/compute/quotas/:id'
/** `id` is the ID of the project. */
export const quotas = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('compute_quotas'),
    summary: 'Get the quotas of a project. Includes the usage.',
    query: z.looseObject({ usage: z.string().optional() }),
    reply: Quotas,
  },
  set: {
    verb: 'POST',
    path,
    needs: create('compute_quotas'),
    summary: 'Set the quotas of a project. A limit below the usage deletes nothing; it only prevents additional use.',
    body: QuotasChange,
    reply: Quotas,
  },
})

const domainPath = '/api/v2/compute/domain-quotas/:id'
/** `id` is the ID of the domain. */
export const domainQuotas = endpoints({
  view: {
    verb: 'GET',
    path: domainPath,
    needs: read('domain'),
    summary: 'Get the quotas of a domain. They limit the total usage of its projects. Includes the usage.',
    query: z.looseObject({ usage: z.string().optional() }),
    reply: DomainQuotas,
  },
  set: {
    verb: 'POST',
    path: domainPath,
    needs: update('domain'),
    summary:
      'Set the quotas of a domain. They limit the total usage of its projects, not the sum of the project quotas.',
    body: DomainQuotasChange,
    reply: DomainQuotas,
  },
})
