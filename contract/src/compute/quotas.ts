import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import type { PathOf } from '../core/fields'
import { quota, type Quota } from '../core/quota'

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
  network: z.object({ floatingip: Amount, ipsec_site_connection: Amount }),
  k8saas: z.object({ cluster: Amount }),
  lbaas: z.object({ loadbalancer: Amount }),
  /** By the name of the placement. */
  placement: z.record(z.string(), Amount),
})
export type Quotas = z.infer<typeof Quotas>

/** The storage policy under which all storage of a project is counted. */
export const DEFAULT_STORAGE_POLICY = 'default'

type Place = PathOf<Quotas> extends infer Path ? (Path extends `${infer At}.limit` ? At : never) : never

/** Every quota, by the name that engines, refusals and forms have for it. */
export const allQuotas = {
  instances: quota({ area: 'compute', of: 'server', unit: 'things', at: 'compute.instances', words: 'instances' }),
  vcpus: quota({
    area: 'compute',
    of: 'server',
    sum: 'derived.taken.vcpus',
    unit: 'things',
    at: 'compute.cores',
    words: 'vCPUs',
  }),
  ram: quota({
    area: 'compute',
    of: 'server',
    sum: 'derived.taken.ram',
    unit: 'MiB',
    at: 'compute.ram',
    words: 'memory',
  }),
  images: quota({ area: 'compute', of: 'image', unit: 'things', at: 'image.images', words: 'images' }),
  image_storage: quota({
    area: 'compute',
    of: 'image',
    sum: 'size',
    unit: 'bytes',
    at: 'image.image_storage',
    words: 'image storage in bytes',
  }),
  volumes: quota({ area: 'storage', of: 'volume', unit: 'things', at: 'storage.volumes', words: 'volumes' }),
  storage: quota({
    area: 'storage',
    of: 'volume',
    sum: 'size',
    unit: 'bytes',
    at: `storage.storage_policies.${DEFAULT_STORAGE_POLICY}`,
    words: 'storage',
  }),
} satisfies Record<string, Quota & { at: Place }>
export type QuotaName = keyof typeof allQuotas
export const quotaNames = Object.keys(allQuotas) as readonly QuotaName[]

/** What is counted of a project, by quota. */
export type CountedQuotas = Record<QuotaName, QuotaAmount>

const amountAt = (at: string, all: unknown): unknown =>
  at.split('.').reduce((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], all)

/** What is counted of a project, without the services around it. Sizes in bytes. */
export const countedIn = (all: Quotas): CountedQuotas =>
  Object.fromEntries(
    quotaNames.map((name) => [name, amountAt(allQuotas[name].at, all) ?? { limit: -1, used: 0 }]),
  ) as CountedQuotas

export const quotas = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/quotas/:project_id',
    needs: read('compute_quotas'),
    summary: 'Quotas of a project, with what is used',
    query: z.looseObject({ usage: z.string().optional() }),
    reply: Quotas,
  },
})
