import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

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
    /** Octets of the files of images, as they are kept. */
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

/** What is counted of a project, without the services around it. Sizes in bytes. */
export const countedIn = ({ compute, storage, image }: Quotas) => ({
  instances: compute.instances,
  vcpus: compute.cores,
  ram: compute.ram,
  volumes: storage.volumes,
  storage: storage.storage_policies[DEFAULT_STORAGE_POLICY] ?? { limit: -1, used: 0 },
  ...image,
})
export type CountedQuotas = ReturnType<typeof countedIn>

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
