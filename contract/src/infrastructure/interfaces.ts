import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { HostInterface } from './node-facts'
import { nodeKind } from './nodes'

/** Displayed status of a network interface (S2§4). `unplugged`: the interface has no carrier. */
export const InterfaceStatus = z.enum(['ok', 'disabled', 'unplugged', 'warning'])

/** Interfaces below this speed, in Mbit/s, are reported as slow (S2§4). */
export const SLOW_BELOW = 1000

/** Returns the status of an interface. Speed and duplex are unknown for virtual interfaces. */
export function interfaceStatus({
  state,
  speed,
  duplex,
}: Pick<HostInterface, 'state' | 'speed' | 'duplex'>): z.infer<typeof InterfaceStatus> {
  if (state === 'down') return 'disabled'
  if (state === 'no_carrier') return 'unplugged'
  return duplex === 'half' || (speed !== null && speed < SLOW_BELOW) ? 'warning' : 'ok'
}

/** A network interface of a node. */
export const NodeInterface = HostInterface.extend({
  id: z.string(),
  node_id: z.string(),
  status: InterfaceStatus,
  /** ID of the infrastructure network that the interface is assigned to. */
  roles_set: z.string().nullable(),
})
export type NodeInterface = z.infer<typeof NodeInterface>

export const nodeInterfaceKind = kind({
  name: 'node_interface',
  entity: NodeInterface,
  visibility: 'system',
  parent: { kind: nodeKind, field: 'node_id', goesAlong: true },
  alias: 'name',
  status: 'status',
  filters: ['id', 'name', 'type', 'state', 'status'],
  sortKeys: ['name', 'type', 'status'],
  search: ['name', 'mac', 'id'],
  permissions: { collection: 'node_interfaces', item: 'node_interfaces' },
})

export const nodeInterfaces = crud(nodeInterfaceKind, {
  path: '/api/v2/nodes/:node_id/net/ifs',
  called: ['a network interface', 'network interfaces'],
})
