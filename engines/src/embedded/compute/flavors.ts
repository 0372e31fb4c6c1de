import { randomUUID } from 'node:crypto'
import type { Flavor, FlavorDraft } from '@mainstay/contract/compute/flavors'
import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { FlavorsPort } from '../../ports/compute'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import { forgetCarrier } from './placements/commands'

/**
 * Flavors in a new data folder: name, vCPUs, memory in MiB. Each flavor's ID is its name, so that scripts can rely on
 * it.
 */
const defaults: readonly (readonly [name: string, vcpus: number, ram: number])[] = [
  ['s1.nano', 1, 128],
  ['s1.micro', 1, 256],
  ['s1.tiny', 1, 512],
  ['s1.small', 1, 2048],
  ['s1.medium', 2, 4096],
  ['s1.large', 4, 8192],
  ['s1.xlarge', 8, 16_384],
  ['s1.2xlarge', 16, 32_768],
]

const flavorRow = (id: string, { name, vcpus, ram, swap }: FlavorDraft): Flavor => ({
  id,
  name,
  vcpus,
  ram,
  swap,
  is_public: true,
  extra_specs: {},
  created_at: new Date().toISOString(),
})

/** Returns the part of a flavor that is copied into an instance row. */
export const flavorShown = ({ id, name, vcpus, ram, extra_specs }: Flavor): Instance['flavor'] => ({
  id,
  original_name: name,
  vcpus,
  ram,
  extra_specs,
})

/** Runs only once per data folder, so that deleted default flavors are not recreated. */
export async function ensureDefaultFlavors(tx: RecordsTransaction): Promise<void> {
  await tx.exclusive('flavors')
  if (await tx.getPrivate('flavor', 'defaults')) return
  for (const [name, vcpus, ram] of defaults) await tx.put('flavor', flavorRow(name, { name, vcpus, ram, swap: 0 }))
  await tx.putPrivate('flavor', 'defaults', { made: true })
}

export const flavorCommands = ({ records }: Engine): FlavorsPort => ({
  create: (_, draft) =>
    records.transaction(async (tx) => {
      await tx.exclusive('flavors')
      const [same] = await tx.find<Flavor>('flavor', { name: draft.name }, 1)
      if (same) throw fieldProblem('name', 'compute.flavor_name_taken')
      const flavor = flavorRow(randomUUID(), draft)
      await tx.put('flavor', flavor)
      return flavor
    }),
  delete: (_, id) =>
    records.transaction(async (tx) => {
      await forgetCarrier(tx, 'flavors', id)
      if (!(await tx.lock('flavor', id))) throw notFound()
      await tx.remove('flavor', id)
    }),
})
