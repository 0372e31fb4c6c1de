import { whyPlacementStays } from '@mainstay/contract/compute/placement-rules'
import type { Placement, PlacementDraft } from '@mainstay/contract/compute/placements'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { PlacementsPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { carriersOf } from './carriers'
import { placementReader } from './shape'
import { customTrait, readTraits, traitVersion } from '../traits'

/** Placement commands. In a cloud, a placement is a trait: its name is also its ID, and it has no other fields. */
export function placementCommands(engine: Engine): PlacementsPort {
  const carriers = carriersOf(engine)
  const pathOf = (id: string) => `/traits/${encodeURIComponent(id)}`

  async function known(id: string): Promise<Placement> {
    const placement = await engine.records.transaction((tx) => tx.get<Placement>('placement', id))
    if (!placement) throw notFound()
    return placement
  }

  return {
    async create(scope, draft) {
      const id = traitOf(draft)
      const cloud = await engine.as(scope)
      if ((await readTraits(cloud, { name: `in:${id}` })).length > 0)
        throw fieldProblem('name', 'compute.placement_name_taken')
      await cloud.send('PUT', 'placement', pathOf(id), z.void(), { version: traitVersion })
      return engine.refresh(placementReader, id)
    },

    async update(_, id) {
      await known(id)
      throw problem('compute.placement_is_fixed')
    },

    async delete(scope, id) {
      await known(id)
      const cloud = await engine.as(scope)
      const { nodes = [], images = [], flavors = [] } = await engine.refresh(placementReader, id)
      const servers = await engine.records.transaction((tx) => tx.find('server', { traits: { has: id } }))
      const refusal = whyPlacementStays({
        ...{ nodes: nodes.length, images: images.length, flavors: flavors.length, servers: servers.length },
      })
      if (refusal) throw refusal
      await cloud.send('DELETE', 'placement', pathOf(id), z.void(), { version: traitVersion })
      await unlessGone(engine.refresh(placementReader, id))
    },

    async assign(scope, id, carrier, ids) {
      await known(id)
      const cloud = await engine.as(scope)
      const { isThere, give } = carriers[carrier]
      for (const carrierId of ids)
        if (!(await isThere(cloud, carrierId)))
          throw fieldProblem('ids', 'compute.no_such_carrier', { carrier: carrierNames[carrier] })
      for (const carrierId of ids) await give(cloud, carrierId, id)
      return engine.refresh(placementReader, id)
    },

    async withdraw(scope, id, carrier, carrierId) {
      const { [carrier]: having = [] } = await known(id)
      const cloud = await engine.as(scope)
      const { isThere, take } = carriers[carrier]
      if (!having.includes(carrierId) || !(await isThere(cloud, carrierId))) throw notFound()
      await take(cloud, carrierId, id)
      return engine.refresh(placementReader, id)
    },
  }
}

const carrierNames = { nodes: 'node', images: 'image', flavors: 'flavor' } as const

/** Returns the ID of the trait. Refuses fields that a trait cannot store, because their values would be lost. */
function traitOf({ name, description, isolated }: PlacementDraft): string {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) throw fieldProblem('name', 'compute.placement_name_form')
  if (name.length > 255 - customTrait.length)
    throw fieldProblem('name', 'core.too_long', { most: 255 - customTrait.length })
  if (description !== '') throw fieldProblem('description', 'compute.placement_without_description')
  if (isolated) throw fieldProblem('isolated', 'compute.reserved_nodes_of_cloud')
  return `${customTrait}${name}`
}
