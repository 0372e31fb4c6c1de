import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Placement } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import type { CallOptions } from '../../client/service-client'
import type { Records } from '../../../ports/records'
import { listOf } from '../../client/rows'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { customTrait, readTraits, requiredTraits } from '../traits'

const Aggregate = z.object({ metadata: z.record(z.string(), z.string()) })

/** Reads the traits for which an aggregate reserves its hosts, if the scheduler is configured to enforce this. */
async function isolatingTraits(reading: Reading, options: CallOptions): Promise<ReadonlySet<string>> {
  const shape = z.object({ aggregates: listOf(Aggregate, unreadableIn(reading, 'aggregates')) })
  const { aggregates } = await reading.caller.get('compute', '/os-aggregates', shape, options)
  return new Set(aggregates.flatMap(({ metadata }) => requiredTraits(metadata)))
}

/** IDs of the objects that have a trait. */
type Carriers = Pick<Placement, 'nodes' | 'images' | 'flavors'>

/** An upper limit that no cloud reaches. */
const mostCarriers = 100_000

/** Finds the carriers of all traits with one query per kind. Scans all flavors, because there are only a few. */
const carriersOf = (records: Records, ids: readonly string[]): Promise<(id: string) => Carriers> =>
  records.transaction(async (tx) => {
    type Carrier = { id: string; traits: string[] }
    const having = { traits: { hasAny: ids } }
    const nodes = await tx.find<Carrier>('compute_node', having, mostCarriers)
    const images = await tx.find<Carrier>('image', having, mostCarriers)
    const flavors = (await tx.find<Flavor>('flavor', {}, mostCarriers)).map(({ id, extra_specs }) => ({
      id,
      traits: requiredTraits(extra_specs),
    }))
    const idsWith = (id: string, carriers: readonly Carrier[]) =>
      carriers.filter(({ traits }) => traits.includes(id)).map((carrier) => carrier.id)
    return (id) => ({ nodes: idsWith(id, nodes), images: idsWith(id, images), flavors: idsWith(id, flavors) })
  })

/** Custom traits. The objects that have them come from the index, whose rows list their traits. */
export const placementReader: KindReader<Placement> = {
  kind: 'placement',
  service: 'placement',
  list: 'traits',
  async *all(reading, signal) {
    yield await readPlacements(reading, `startswith:${customTrait}`, signal)
  },
  async some(reading, ids, signal) {
    const rows = new Map((await readPlacements(reading, `in:${ids.join(',')}`, signal)).map((row) => [row.id, row]))
    return new Map(ids.map((id) => [id, rows.get(id) ?? null]))
  },
  isBusy: () => false,
  isNeverAnnounced: true,
}

async function readPlacements(reading: Reading, name: string, signal: AbortSignal | undefined): Promise<Placement[]> {
  const options = signal ? { signal } : {}
  const [ids, isolating] = await Promise.all([
    readTraits(reading.caller, { name }, options, unreadableIn(reading, 'traits')),
    isolatingTraits(reading, options),
  ])
  if (ids.length === 0) return []
  const carriers = reading.records ? await carriersOf(reading.records, ids) : () => ({})
  return ids.map((id) => ({
    ...{ id, name: id.slice(customTrait.length), description: '', isolated: isolating.has(id) },
    ...carriers(id),
  }))
}
