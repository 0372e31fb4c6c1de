import type { Flavor } from '@mainstay/contract/compute/flavors'
import * as z from 'zod'
import { restReader } from '../../rest-reader'

/** Flavors include extra specs since microversion 2.61, and `swap` is always a number since 2.75. */
export const flavorVersion = '2.75'

export const WireFlavor = z
  .object({
    id: z.string(),
    name: z.string(),
    vcpus: z.number(),
    /** In MiB. */
    ram: z.number(),
    /** In MiB. */
    swap: z.number(),
    'os-flavor-access:is_public': z.boolean().default(true),
    extra_specs: z.record(z.string(), z.string()).default({}),
  })
  .transform(({ 'os-flavor-access:is_public': is_public, ...flavor }): Flavor => ({
    ...flavor,
    is_public,
    created_at: null,
  }))

/** All flavors, including private ones. */
export const flavorReader = restReader({
  kind: 'flavor',
  service: 'compute',
  path: '/flavors',
  listPath: '/flavors/detail',
  key: ['flavors', 'flavor'],
  item: WireFlavor,
  version: flavorVersion,
  query: { is_public: 'None' },
  row: (flavor): Flavor => flavor,
})
