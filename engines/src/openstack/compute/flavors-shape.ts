import type { Flavor } from '@mainstay/contract/compute/flavors'
import * as z from 'zod'
import type { CallOptions, Caller } from '../client/caller'
import { unreadableIn, type KindReader } from '../kind-reader'
import { readEach } from '../read-each'

/** Extra specs come with a flavor from 2.61 on; 2.75 has swap as a number in all of them. */
export const flavorVersion = '2.75'

export const WireFlavor = z
  .object({
    id: z.string(),
    name: z.string(),
    vcpus: z.number(),
    /** MiB. */
    ram: z.number(),
    /** MiB. */
    swap: z.number(),
    'os-flavor-access:is_public': z.boolean().default(true),
    extra_specs: z.record(z.string(), z.string()).default({}),
  })
  .transform(({ 'os-flavor-access:is_public': is_public, ...flavor }): Flavor => ({
    ...flavor,
    is_public,
    created_at: null,
  }))

/** One flavor, as the caller may see it. */
export async function readFlavor(caller: Caller, id: string, options: CallOptions = {}): Promise<Flavor> {
  const path = `/flavors/${encodeURIComponent(id)}`
  const { flavor } = await caller.get('compute', path, z.object({ flavor: WireFlavor }), {
    version: flavorVersion,
    ...options,
  })
  return flavor
}

/** Flavors, those too that are not for everybody. */
export const flavorReader: KindReader<Flavor> = {
  kind: 'flavor',
  list: 'flavors',
  all: ({ caller }, signal) =>
    caller.pages('compute', '/flavors/detail', 'flavors', WireFlavor, {
      version: flavorVersion,
      query: { is_public: 'None' },
      ...(signal && { signal }),
    }),
  some: (reading, ids, signal) =>
    readEach(ids, (id) => readFlavor(reading.caller, id, signal ? { signal } : {}), unreadableIn(reading, 'flavors')),
  isBusy: () => false,
}
