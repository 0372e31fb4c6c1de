import type { Placement } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import type { CallOptions } from '../client/caller'
import type { Records } from '../../ports/records'
import type { KindReader, Reading } from '../kind-reader'
import { customTrait } from './nodes'

export const traitVersion = '1.6'

/** How flavors and images ask for a trait. */
export const traitProperty = (id: string): string => `trait:${id}`
export const required = 'required'

const Names = z.object({ traits: z.array(z.string()) })

/** Ids of the traits that people made, as many of them as the query names. */
export async function readTraits({ caller }: Pick<Reading, 'caller'>, name: string, options: CallOptions = {}) {
  const { traits } = await caller.get('placement', '/traits', Names, {
    version: traitVersion,
    query: { name },
    ...options,
  })
  return traits.filter((trait) => trait.startsWith(customTrait))
}

const Aggregates = z.object({ aggregates: z.array(z.object({ metadata: z.record(z.string(), z.string()) })) })

/** Traits without which nothing comes to the nodes of some aggregate, where the scheduler is told to heed that. */
async function isolatingTraits({ caller }: Reading, options: CallOptions): Promise<ReadonlySet<string>> {
  const { aggregates } = await caller.get('compute', '/os-aggregates', Aggregates, options)
  const wanted = aggregates.flatMap(({ metadata }) => Object.entries(metadata))
  return new Set(
    wanted.flatMap(([name, value]) =>
      value === required && name.startsWith('trait:') ? [name.slice('trait:'.length)] : [],
    ),
  )
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
    const [ids, isolating] = await Promise.all([readTraits(reading, name, options), isolatingTraits(reading, options)])
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
