import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'
import { says } from '../core/said'
import { failureDomains, locationDomains, type FailureDomain } from './location-rules'
import { Node } from './nodes'

/** Maximum number of rooms, rows and racks in an installation, and of nodes in the tree. */
export const MAX_LOCATIONS = 1000
export const MAX_TREE_NODES = 1000
const MAX_AT_ONCE = 50

/** A location of nodes: a room, a row in a room, or a rack in a row (S2§3). */
export const Location = z.object({
  id: z.string(),
  name: z.string(),
  domain: z.enum(locationDomains),
  /** ID of the room that a row or a rack is in; null for rooms. */
  room_id: z.string().nullable(),
  /** ID of the row that a rack is in; null for rooms and rows. */
  row_id: z.string().nullable(),
  is_default: z.boolean().describe('Whether new nodes start here. Such a location cannot be moved or deleted.'),
  created_at: Time,
  updated_at: Time,
})
export type Location = z.infer<typeof Location>

/** All locations, and the nodes in them. */
export const LocationTree = z.object({
  locations: z.array(Location.extend({ nodes_count: z.number().int().describe('Nodes in it, at any depth.') })),
  nodes: z.array(Node),
})
export type LocationTree = z.infer<typeof LocationTree>

export const FailureDomainName = z.enum(Object.keys(failureDomains) as [FailureDomain, ...FailureDomain[]])

/** The levels of the tree, from rooms to disks. */
export const LocationConfiguration = z.object({
  levels: z.array(
    z.object({
      domain: FailureDomainName,
      number: z.number().int(),
      /** Name of the level, in singular and plural. */
      label: z.string(),
      labels: z.string(),
    }),
  ),
})

const LocationName = z
  .string()
  .trim()
  .min(1, says('core.enter_value'))
  .max(64, says('core.too_long', { most: 64 }))
  .regex(isVisible, NOT_VISIBLE)

export const LocationDraft = z
  .strictObject({
    name: LocationName,
    /** Required for rows. */
    room_id: Id.optional(),
    /** Required for racks. */
    row_id: Id.optional(),
  })
  .meta({ examples: [{ name: 'Hamburg' }] })
export type LocationDraft = z.infer<typeof LocationDraft>

export const LocationChange = z
  .strictObject({
    name: LocationName,
    /** Moves a row to this room. */
    room_id: Id,
    /** Moves a rack to this row. */
    row_id: Id,
  })
  .partial()
  .meta({ examples: [{ name: 'Hamburg 2' }] })
export type LocationChange = z.infer<typeof LocationChange>

/** One name, or several. */
const Names = z
  .strictObject({
    name: LocationName.optional(),
    names: z
      .array(LocationName)
      .min(1, says('infrastructure.name_or_names'))
      .max(MAX_AT_ONCE, says('infrastructure.too_many_names', { most: MAX_AT_ONCE }))
      .optional(),
  })
  .refine(({ name, names }) => (name === undefined) !== (names === undefined), {
    path: ['names'],
    message: says('infrastructure.name_or_names'),
  })
  .meta({ examples: [{ names: ['A1', 'A2'] }] })

const NodesOfRack = z
  .strictObject({
    node_ids: z
      .array(Id)
      .min(1, says('core.name_one'))
      .max(100, says('core.name_at_most', { most: 100 })),
  })
  .meta({ examples: [{ node_ids: [someId('node')] }] })

const LocationMove = z
  .strictObject({
    /** The row or rack to be moved. Specify either this or nodes. */
    location_id: Id.optional(),
    node_ids: z
      .array(Id)
      .min(1, says('core.name_one'))
      .max(100, says('core.name_at_most', { most: 100 }))
      .optional(),
    /** The room, row or rack to which they are to be moved. */
    to: Id,
  })
  .refine(({ location_id, node_ids }) => (location_id === undefined) !== (node_ids === undefined), {
    path: ['location_id'],
    message: says('infrastructure.location_or_nodes'),
  })
  .meta({ examples: [{ node_ids: [someId('node')], to: someId('location') }] })
export type LocationMove = z.infer<typeof LocationMove>

/** Data that Ceph moves between disks as a result of a move. In bytes; 0 if nothing is moved. */
const MoveEstimate = z.object({
  hosts: z.number().int().describe('Storage hosts whose place in the CRUSH map changes.'),
  least: z.number().describe('The data on these hosts, which is distributed again.'),
  most: z.number().describe('Upper limit, as data on other hosts is moved too.'),
})
export type MoveEstimate = z.infer<typeof MoveEstimate>

export const locationKind = kind({
  name: 'location',
  entity: Location,
  visibility: 'system',
  filters: ['id', 'name', 'domain', { name: 'room_id', type: 'id' }, { name: 'row_id', type: 'id' }],
  sortKeys: ['name', 'created_at'],
  permissions: { collection: 'locations', item: 'locations' },
})

const path = '/api/v2/locations'
const one = `${path}/:level/:id` as const
export const locations = endpoints({
  tree: {
    verb: 'GET',
    path,
    needs: read('locations'),
    summary: 'Get all rooms, rows and racks, and the nodes in them',
    reply: LocationTree,
  },
  configuration: {
    verb: 'GET',
    path: `${path}/configuration`,
    needs: read('locations'),
    summary: 'Get the levels of locations with their numbers, from rooms to disks',
    reply: LocationConfiguration,
  },
  create: {
    verb: 'POST',
    path: `${path}/:level`,
    needs: create('locations'),
    summary: 'Create a location. The level is `rooms`, `rows` or `racks`; a row names its room, and a rack its row.',
    body: LocationDraft,
    status: 201,
    reply: Location,
  },
  createRows: {
    verb: 'POST',
    path: `${path}/rooms/:id/rows`,
    needs: create('locations'),
    summary: 'Add rows to a room. All of them are created, or none.',
    body: Names,
    status: 201,
    reply: z.array(Location),
  },
  createRacks: {
    verb: 'POST',
    path: `${path}/rows/:id/racks`,
    needs: create('locations'),
    summary: 'Add racks to a row. All of them are created, or none.',
    body: Names,
    status: 201,
    reply: z.array(Location),
  },
  view: {
    verb: 'GET',
    path: one,
    needs: read('locations'),
    summary: 'Get a location. The level is `rooms`, `rows` or `racks`.',
    reply: Location,
  },
  update: {
    verb: 'PATCH',
    path: one,
    needs: update('locations'),
    summary: 'Rename a location, or move it. A row is moved to another room, a rack to another row, with its nodes.',
    body: LocationChange,
    reply: Location,
  },
  delete: {
    verb: 'DELETE',
    path: one,
    needs: remove('locations'),
    summary: 'Delete an empty location',
    reply: z.void(),
  },
  assignNodes: {
    verb: 'PUT',
    path: `${path}/racks/:id/nodes`,
    needs: update('locations'),
    summary: 'Move nodes to a rack. All of them are moved, or none. Nodes that are already in it stay.',
    body: NodesOfRack,
    reply: Location,
  },
  estimateMove: {
    verb: 'POST',
    path: '/api/v2/location-moves/estimate',
    needs: read('locations'),
    summary: 'Estimate how much data an attached Ceph cluster moves if nodes or a location are moved. Changes nothing.',
    body: LocationMove,
    reply: MoveEstimate,
  },
})

/** What stores the data of a tier: the host of the server, or the attached Ceph cluster. */
export const TierStore = z.enum(['host', 'ceph'])

/** Number of failure domains of each level that hold data of a tier. */
const OccupiedTier = z.object({
  tier: z.number().int(),
  store: TierStore,
  disks: z.number().int(),
  hosts: z.number().int(),
  racks: z.number().int(),
  rows: z.number().int(),
  rooms: z.number().int(),
})
export type OccupiedTier = z.infer<typeof OccupiedTier>

/** Failure domains across which copies of data can be distributed. */
export const occupiedFailureDomains = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/occupied-failure-domains',
    needs: read('occupied_failure_domains'),
    summary: 'Count the disks, hosts, racks, rows and rooms that hold data of each tier',
    reply: z.object({ tiers: z.array(OccupiedTier) }),
  },
})
