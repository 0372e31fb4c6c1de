import { placementCarriers, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import type { Key } from '../../../i18n/catalogues'

interface Words {
  /** Label, such as "Nodes". */
  many: Key<'compute'>
  /** Explains the effect of assigning the placement. */
  help: Key<'compute'>
  /** Title, such as "Nodes for “gold”". */
  title: Key<'compute'>
}

export const carrierWords: Readonly<Record<PlacementCarrier, Words>> = {
  nodes: { many: 'placements.nodes', help: 'placements.nodesHelp', title: 'placements.nodesOf' },
  flavors: { many: 'placements.flavors', help: 'placements.flavorsHelp', title: 'placements.flavorsOf' },
  images: { many: 'placements.images', help: 'placements.imagesHelp', title: 'placements.imagesOf' },
}

/** Carriers in display order: nodes, flavors, images. */
export const shownCarriers = Object.keys(carrierWords) as PlacementCarrier[]

export const isCarrier = (text: string): text is PlacementCarrier =>
  (placementCarriers as readonly string[]).includes(text)

/** IDs of all carriers of a placement. */
export const carriersOf = (placement: Placement): string[] =>
  placementCarriers.flatMap((carrier) => placement[carrier] ?? [])
