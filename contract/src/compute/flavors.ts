import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { NameWithoutSlash, Time } from '../core/names'

/**
 * Number of vCPUs and amount of memory for an instance. Flavors are immutable: create a new one for a different size.
 */
export const Flavor = z.object({
  id: z.string(),
  name: z.string(),
  vcpus: z.number().int(),
  /** In MiB. */
  ram: z.number().int(),
  /** In MiB. */
  swap: z.number().int(),
  is_public: z.boolean(),
  extra_specs: z.record(z.string(), z.string()),
  /** Null if the cloud does not report it. */
  created_at: Time.nullable(),
})
export type Flavor = z.infer<typeof Flavor>

export const FlavorDraft = z
  .strictObject({
    // Names such as "2xlarge" are common, so a flavor name may start with a digit.
    name: NameWithoutSlash,
    vcpus: z
      .number()
      .int()
      .min(1, says('core.at_least', { least: 1 }))
      .max(240, says('core.at_most', { most: 240 })),
    ram: z
      .number()
      .int()
      .min(64, says('compute.memory_too_small', { least: 64 }))
      .max(1024 * 1024, says('compute.memory_too_large', { most: 1 })),
    swap: z
      .number()
      .int()
      .min(0)
      .max(1024 * 1024)
      .default(0),
  })
  .meta({ examples: [{ name: 'web.medium', vcpus: 2, ram: 2048 }] })
export type FlavorDraft = z.infer<typeof FlavorDraft>

export const flavorKind = kind({
  name: 'flavor',
  entity: Flavor,
  // private flavors are visible to operators only
  visibility: 'project',
  shared: { path: 'is_public', equals: true },
  hasUniqueName: true,
  filters: ['id', 'name', 'vcpus', 'ram'],
  sortKeys: ['name', 'vcpus', 'ram', 'created_at'],
  defaultSort: 'ram:asc',
  permissions: { collection: 'compute_flavors', item: 'compute_flavor' },
})

export const flavors = crud(flavorKind, {
  path: '/api/v2/compute/flavors',
  called: ['a flavor', 'flavors'],
  draft: FlavorDraft,
  delete: true,
  summaries: { delete: 'Delete a flavor. Virtual machines that use it keep their vCPUs and memory.' },
})
