import { says } from '../core/said'
import * as z from 'zod'
import type { AreaQuota } from '../core/area'
import { MiB } from '../core/bytes'
import { create, endpoints, read, update } from '../core/endpoint'
import type { PathOf } from '../core/fields'
import { kind } from '../core/kind'

/** A limit of -1 is none; 0 stands where there is no such service. */
const Amount = z.object({ limit: z.number().int(), used: z.number().int() })
export type QuotaAmount = z.infer<typeof Amount>

/** What a project may have and has, by service. Sizes in bytes. */
export const Quotas = z.object({
  compute: z.object({ instances: Amount, cores: Amount, ram: Amount }),
  storage: z.object({
    volumes: Amount,
    /** By the name of the storage policy. */
    storage_policies: z.record(z.string(), Amount),
    volumes_backups: Amount,
  }),
  image: z.object({
    images: Amount,
    /** Bytes of the files of images, as they are kept. */
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
  /** By the name of the placement. */
  placement: z.record(z.string(), Amount),
})
export type Quotas = z.infer<typeof Quotas>
type Place = PathOf<Quotas> extends infer Path ? (Path extends `${infer At}.limit` ? At : never) : never

/** Declares a quota of an area. Calls, checks of engines, metrics and the console's meters follow from it. */
export const quota = <const Given extends AreaQuota & { at: Place }>(given: Given): Given => given

/** The storage policy under which all storage of a project is counted. */
export const DEFAULT_STORAGE_POLICY = 'default'

/** The highest limit of things: what clouds keep in 32 bits. */
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

/* Limits of what there is not are refused with the reason. */
const NoBackups = z.never(says('compute.no_backup_quota')).optional()
const NoClusters = z.never(says('compute.no_kubernetes_quota')).optional()
const NoPlacements = z.never(says('compute.no_placement_quota')).optional()

/** Limits that a project is to have, by service; -1 is none. What is left out stays. Sizes in bytes. */
export const QuotasChange = z
  .strictObject({
    compute: z.strictObject({ instances: Things, cores: Things, ram: WholeMiB }).partial(),
    storage: z.strictObject({ volumes: Things, storage_policies: Policies, volumes_backups: NoBackups }).partial(),
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

/** What all projects of a domain may have together, and have. A limit of -1 is none. Sizes in bytes. */
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

/** The limits of one project, or (`project_id` null) the ceilings of one domain, where they were set. */
export const QuotaRecord = z.object({
  /** Of the project, or of the domain. */
  id: z.string(),
  project_id: z.string().nullable(),
  domain_id: z.string(),
  /** By quota, each in the unit of its declaration. */
  limits: z.record(z.string(), z.number().int()),
})
export type QuotaRecord = z.infer<typeof QuotaRecord>

/** Rows tell open pages that limits have changed. They have no list: each is read by the calls below. */
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
/** `id`: of the project. */
export const quotas = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('compute_quotas'),
    summary: 'Quotas of a project, with what is used',
    query: z.looseObject({ usage: z.string().optional() }),
    reply: Quotas,
  },
  set: {
    verb: 'POST',
    path,
    needs: create('compute_quotas'),
    summary: 'Set limits of a project. Below what is used they take nothing away, and refuse what is more',
    body: QuotasChange,
    reply: Quotas,
  },
})

const domainPath = '/api/v2/compute/domain-quotas/:id'
/** `id`: of the domain. */
export const domainQuotas = endpoints({
  view: {
    verb: 'GET',
    path: domainPath,
    needs: read('domain'),
    summary: 'What the projects of a domain may have together, with what is used',
    query: z.looseObject({ usage: z.string().optional() }),
    reply: DomainQuotas,
  },
  set: {
    verb: 'POST',
    path: domainPath,
    needs: update('domain'),
    summary: 'Set ceilings of a domain. Limits of its projects may add up to more; what is made may not',
    body: DomainQuotasChange,
    reply: DomainQuotas,
  },
})
