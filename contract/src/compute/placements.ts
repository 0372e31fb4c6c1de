import { says } from '../core/said'
import * as z from 'zod'
import { someId } from '../core/example'
import { crud } from '../core/crud'
import { endpoints, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName } from '../core/names'

/**
 * Objects that placements can be assigned to. A node provides its placements; instances created from an image or a
 * flavor require the placements assigned to it.
 */
export const placementCarriers = ['nodes', 'images', 'flavors'] as const
export type PlacementCarrier = (typeof placementCarriers)[number]

/**
 * A label that ties instances to nodes: an instance with a placement runs only on nodes that have it. Other objects
 * refer to placements by ID in `traits`.
 */
export const Placement = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /**
   * Nodes with an isolated placement accept only instances that have it. Only system scopes can see it; instances
   * inherit it from their image or flavor.
   */
  isolated: z.boolean(),
  /** IDs of the objects that the placement is assigned to; returned only to system scopes. */
  nodes: z.array(z.string()).optional(),
  images: z.array(z.string()).optional(),
  flavors: z.array(z.string()).optional(),
})
export type Placement = z.infer<typeof Placement>

export const PlacementDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    isolated: z.boolean().default(false),
  })
  .meta({ examples: [{ name: 'FAST_DISKS' }] })
export type PlacementDraft = z.infer<typeof PlacementDraft>

export const PlacementChange = z
  .strictObject({ name: ResourceName, description: Description, isolated: z.boolean() })
  .partial()
  .meta({ examples: [{ description: 'Nodes with NVMe disks' }] })
export type PlacementChange = z.infer<typeof PlacementChange>

const Carriers = z.array(Id).max(100, says('compute.too_many_carriers', { most: 100 }))

/** A new placement together with its initial assignments. */
export const CarriedPlacementDraft = PlacementDraft.extend({
  nodes: Carriers.default([]),
  images: Carriers.default([]),
  flavors: Carriers.default([]),
}).meta({ examples: [{ name: 'FAST_DISKS' }, { name: 'GPU', flavors: [someId('flavor')] }] })
export type CarriedPlacementDraft = z.infer<typeof CarriedPlacementDraft>

/** IDs of the objects to assign a placement to. */
export const PlacementAssignment = z
  .strictObject({ ids: Carriers.min(1, says('core.choose_one')) })
  .meta({ examples: [{ ids: [someId('flavor')] }] })

/** Placements chosen for a single instance. */
export const ChosenPlacements = z.array(Id).max(32, says('compute.too_many_placements', { most: 32 }))

export const placementKind = kind({
  name: 'placement',
  entity: Placement,
  // isolated placements are visible to operators only
  visibility: 'system',
  shared: { path: 'isolated', equals: false },
  hasUniqueName: true,
  filters: ['id', 'name', 'isolated', 'nodes', 'images', 'flavors'],
  sortKeys: ['name'],
  systemOnly: placementCarriers,
  permissions: { collection: 'compute_traits', item: 'compute_traits' },
})

const path = '/api/v2/compute/traits'
export const placements = endpoints({
  ...crud(placementKind, {
    path,
    called: ['a placement', 'placements'],
    draft: CarriedPlacementDraft,
    change: PlacementChange,
    delete: true,
    summaries: {
      update: 'Update a placement. Virtual machines are not moved.',
      delete: 'Delete an unused placement',
    },
  }),
  assign: {
    verb: 'PUT',
    path: `${path}/:id/:carrier`,
    needs: update('compute_traits'),
    summary: 'Assign a placement. Adds it to nodes, images or flavors and keeps existing assignments.',
    body: PlacementAssignment,
    reply: Placement,
  },
  withdraw: {
    verb: 'DELETE',
    path: `${path}/:id/:carrier/:carrier_id`,
    needs: update('compute_traits'),
    summary:
      'Unassign a placement. Removes it from a node, an image or a flavor. Virtual machines keep it and are not moved.',
    reply: Placement,
  },
})
