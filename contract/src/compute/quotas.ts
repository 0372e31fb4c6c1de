import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

/** A limit of -1 is none. Sizes in bytes but `ram`, in MiB. */
const Amount = z.object({ limit: z.number().int(), used: z.number().int() })
export const Quotas = z.object({
  instances: Amount,
  vcpus: Amount,
  ram: Amount,
  volumes: Amount,
  storage: Amount,
  images: Amount,
  /** Octets of the files of images, as they are kept. */
  image_storage: Amount,
})
export type Quotas = z.infer<typeof Quotas>
export type QuotaName = keyof Quotas

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
