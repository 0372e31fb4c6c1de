import type { Placement } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import type { CallOptions } from '../client/caller'
import type { Records } from '../../ports/records'
import type { KindReader, Reading } from '../kind-reader'
import { customTrait, readTraits, required, requiredTraits, traitProperty } from './traits'

const Aggregates = z.object({ aggregates: z.array(z.object({ metadata: z.record(z.string(), z.string()) })) })

/** Traits without which nothing comes to the nodes of some aggregate, where the scheduler is told to heed that. */
async function isolatingTraits({ caller }: Reading, options: CallOptions): Promise<ReadonlySet<string>> {
  const { aggregates } = await caller.get('compute', '/os-aggregates', Aggregates, options)
  return new Set(aggregates.flatMap(({ metadata }) => requiredTraits(metadata)))
}

/** Traits that people made. What carries them is looked up in the index, whose rows say it themselves. */
export function placementReaderOf(records: Records): KindReader<Placement> {
  const rowOf = (id: string, isolating: ReadonlySet<string>): Promise<Placement> =>
    records.transaction(async (tx) => {
      const idsOf = (rows: { id: string }[]) => rows.map((row) => row.id)
      return {
        id,
        name: id.slice(customTrait.length),
        description: '',
        isolated: isolating.has(id),
        nodes: idsOf(await tx.find('compute_node', { traits: { has: id } })),
        images: idsOf(await tx.find('image', { traits: { has: id } })),
        flavors: idsOf(await tx.find('flavor', { [`extra_specs.${traitProperty(id)}`]: required })),
      }
    })
  async function read(reading: Reading, name: string, signal: AbortSignal | undefined): Promise<Placement[]> {
    const options = signal ? { signal } : {}
    const [ids, isolating] = await Promise.all([
      readTraits(reading.caller, { name }, options),
      isolatingTraits(reading, options),
    ])
    const rows: Placement[] = []
    for (const id of ids) rows.push(await rowOf(id, isolating))
    return rows
  }
  return {
    kind: 'placement',
    async *all(reading, signal) {
      yield await read(reading, `startswith:${customTrait}`, signal)
    },
    async some(reading, ids, signal) {
      const rows = new Map((await read(reading, `in:${ids.join(',')}`, signal)).map((row) => [row.id, row]))
      return new Map(ids.map((id) => [id, rows.get(id) ?? null]))
    },
    isBusy: () => false,
    isNeverAnnounced: true,
  }
}
