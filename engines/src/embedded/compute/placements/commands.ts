import { randomUUID } from 'node:crypto'
import { whyPlacementStays } from '@mainstay/contract/compute/placement-rules'
import type { Placement, PlacementCarrier } from '@mainstay/contract/compute/placements'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { PlacementsPort } from '../../../ports/compute'
import type { Entity, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'

/** A placement as stored here, with the IDs of all its carriers. */
export type KeptPlacement = Omit<Placement, PlacementCarrier> & Record<PlacementCarrier, string[]>

const carrierKinds = { nodes: 'compute_node', images: 'image', flavors: 'flavor' } as const
const carrierNames = { nodes: 'node', images: 'image', flavors: 'flavor' } as const

export const allPlacements = (tx: RecordsTransaction): Promise<KeptPlacement[]> =>
  tx.find<KeptPlacement>('placement', {})

/** Serializes placement changes with each other and with the scheduling of instances. */
const keepStill = (tx: RecordsTransaction) => tx.exclusive('host')

/**
 * Commands for placements. Placements are checked only when an instance is placed. Existing instances stay where they
 * are.
 */
export const placementCommands = ({ records }: Engine): PlacementsPort => ({
  create: (_, draft) =>
    records.transaction(async (tx) => {
      await keepStill(tx)
      await refuseTaken(tx, draft.name)
      const made: KeptPlacement = { id: randomUUID(), ...draft, nodes: [], images: [], flavors: [] }
      await tx.put('placement', made)
      return made
    }),
  update: (_, id, change) =>
    records.transaction(async (tx) => {
      const placement = await lockPlacement(tx, id)
      if (change.name !== undefined && change.name !== placement.name) await refuseTaken(tx, change.name)
      return put(tx, { ...placement, ...(change as Partial<KeptPlacement>) })
    }),
  delete: (_, id) =>
    records.transaction(async (tx) => {
      const { nodes, images, flavors } = await lockPlacement(tx, id)
      const servers = await tx.find('server', { traits: { has: id } })
      const refusal = whyPlacementStays({
        ...{ nodes: nodes.length, images: images.length, flavors: flavors.length, servers: servers.length },
      })
      if (refusal) throw refusal
      await tx.remove('placement', id)
    }),
  assign: (_, id, carrier, ids) =>
    records.transaction(async (tx) => {
      const placement = await lockPlacement(tx, id)
      for (const carrierId of ids.toSorted()) {
        const row = await tx.lock<Carrier>(carrierKinds[carrier], carrierId)
        if (!row) throw fieldProblem('ids', 'compute.no_such_carrier', { carrier: carrierNames[carrier] })
        await tellCarrier(tx, carrier, row, [...new Set([...(row.traits ?? []), id])])
      }
      return put(tx, { ...placement, [carrier]: [...new Set([...placement[carrier], ...ids])] })
    }),
  withdraw: (_, id, carrier, carrierId) =>
    records.transaction(async (tx) => {
      const placement = await lockPlacement(tx, id)
      if (!placement[carrier].includes(carrierId)) throw notFound()
      const row = await tx.lock<Carrier>(carrierKinds[carrier], carrierId)
      if (row) await tellCarrier(tx, carrier, row, row.traits?.filter((it) => it !== id) ?? [])
      return put(tx, without(placement, carrier, carrierId))
    }),
})

/** Removes a deleted carrier from all placements. Call this before locking the carrier's row. */
export async function forgetCarrier(tx: RecordsTransaction, carrier: PlacementCarrier, id: string): Promise<void> {
  await keepStill(tx)
  for (const placement of await allPlacements(tx))
    if (placement[carrier].includes(id)) await put(tx, without(placement, carrier, id))
}

type Carrier = Entity & { traits?: string[] }

/** Writes the placements to the row of a node or an image. Flavor rows do not list theirs. */
async function tellCarrier(
  tx: RecordsTransaction,
  carrier: PlacementCarrier,
  row: Carrier,
  traits: string[],
): Promise<void> {
  if (carrier === 'nodes') await tx.put('compute_node', { ...row, traits })
  if (carrier === 'images') await tx.put('image', { ...row, traits, updated_at: new Date().toISOString() })
}

const without = (placement: KeptPlacement, carrier: PlacementCarrier, id: string): KeptPlacement => ({
  ...placement,
  [carrier]: placement[carrier].filter((it) => it !== id),
})

async function put(tx: RecordsTransaction, placement: KeptPlacement): Promise<KeptPlacement> {
  await tx.put('placement', placement)
  return placement
}

async function lockPlacement(tx: RecordsTransaction, id: string): Promise<KeptPlacement> {
  await keepStill(tx)
  const placement = await tx.lock<KeptPlacement>('placement', id)
  if (!placement) throw notFound()
  return placement
}

async function refuseTaken(tx: RecordsTransaction, name: string): Promise<void> {
  const [same] = await tx.find('placement', { name }, 1)
  if (same) throw fieldProblem('name', 'compute.placement_name_taken')
}
