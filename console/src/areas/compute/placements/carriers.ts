import { placementCarriers, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import type { Key } from '../../../i18n/catalogues'

interface Words {
  /** "Nodes" */
  many: Key<'compute'>
  /** What it does to carry a placement. */
  help: Key<'compute'>
  /** "Nodes of “gold”" */
  title: Key<'compute'>
}

export const carrierWords: Readonly<Record<PlacementCarrier, Words>> = {
  nodes: { many: 'placements.nodes', help: 'placements.nodesHelp', title: 'placements.nodesOf' },
  flavors: { many: 'placements.flavors', help: 'placements.flavorsHelp', title: 'placements.flavorsOf' },
  images: { many: 'placements.images', help: 'placements.imagesHelp', title: 'placements.imagesOf' },
}

/** In the order of the screens: where it runs, then what brings it. */
export const shownCarriers = Object.keys(carrierWords) as PlacementCarrier[]

export const isCarrier = (text: string): text is PlacementCarrier =>
  (placementCarriers as readonly string[]).includes(text)

/** Ids of all that carries it. */
export const carriersOf = (placement: Placement): string[] =>
  placementCarriers.flatMap((carrier) => placement[carrier] ?? [])
