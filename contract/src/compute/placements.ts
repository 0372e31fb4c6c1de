import { says } from '../core/said'
import * as z from 'zod'
import { someId } from '../core/example'
import { crud } from '../core/crud'
import { endpoints, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName } from '../core/names'

/** What carries placements: nodes offer them, and what is made of images and flavors asks for them. */
export const placementCarriers = ['nodes', 'images', 'flavors'] as const
export type PlacementCarrier = (typeof placementCarriers)[number]

/** A label that binds instances to nodes. One that has it runs only where it is carried; `traits` of others hold ids of these. */
export const Placement = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Nodes that carry it take no other instances. Only a system scope sees such a placement: it comes by image and flavor. */
  isolated: z.boolean(),
  /** Ids of what carries it; only a system scope is told. */
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
  .meta({ examples: [{ description: 'Nodes with disks of the newest kind' }] })
export type PlacementChange = z.infer<typeof PlacementChange>

const Carriers = z.array(Id).max(100, says('compute.too_many_carriers', { most: 100 }))

/** A placement with what carries it from the start. */
export const CarriedPlacementDraft = PlacementDraft.extend({
  nodes: Carriers.default([]),
  images: Carriers.default([]),
  flavors: Carriers.default([]),
}).meta({ examples: [{ name: 'FAST_DISKS' }, { name: 'GPU', flavors: [someId('flavor')] }] })
export type CarriedPlacementDraft = z.infer<typeof CarriedPlacementDraft>

/** Ids of what is to carry a placement from now on. */
export const PlacementAssignment = z
  .strictObject({ ids: Carriers.min(1, says('core.choose_one')) })
  .meta({ examples: [{ ids: [someId('flavor')] }] })

/** Placements that are chosen for one instance. */
export const ChosenPlacements = z.array(Id).max(32, says('compute.too_many_placements', { most: 32 }))

export const placementKind = kind({
  name: 'placement',
  entity: Placement,
  // one that isolates nodes is a matter of operators
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
      update: 'Change a placement; instances stay where they are',
      delete: 'Delete a placement that nothing has',
    },
  }),
  assign: {
    verb: 'PUT',
    path: `${path}/:id/:carrier`,
    needs: update('compute_traits'),
    summary: 'Let nodes, images or flavors carry a placement; those that do already stay',
    body: PlacementAssignment,
    reply: Placement,
  },
  withdraw: {
    verb: 'DELETE',
    path: `${path}/:id/:carrier/:carrier_id`,
    needs: update('compute_traits'),
    summary: 'Take a placement from a node, an image or a flavor; instances keep it, and stay where they are',
    reply: Placement,
  },
})
