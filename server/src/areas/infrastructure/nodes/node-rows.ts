import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { nodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { defaultPlaces } from '../locations/default-places'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import type { Tools } from '../../../tools'

/** A new node of which nothing has been read yet. */
export function newNode(given: Pick<Node, 'id' | 'host' | 'link'> & Partial<Node>): Node {
  const node: Node = {
    orig_hostname: given.host,
    status: 'unassigned',
    is_primary: false,
    is_online: false,
    is_assigned: false,
    is_in_ha: false,
    services: [],
    ip_addrs: [],
    ram: null,
    cpu: null,
    ...defaultPlaces,
    recovery: null,
    maintenance: null,
    activity: null,
    tasks: [],
    spaces: { total: 0, used: 0, disks: 0, failed_disks: 0 },
    os: null,
    kernel: null,
    booted_at: null,
    clock_offset_ms: null,
    clock_synchronized: null,
    restart_pending: false,
    missing_programs: [],
    seen_at: null,
    created_at: new Date().toISOString(),
    ...given,
  }
  return { ...node, status: nodeStatus(node) }
}

const noLink = { address: null, port: null, host_key: null, rights: null, problem: null }

/**
 * Creates a node for each compute node that has none, with the same ID. The only compute node of the embedded engine is
 * the host of the server.
 */
export async function addComputeNodes({ inventory }: Pick<Tools, 'inventory'>): Promise<void> {
  await inventory.transaction(async (records) => {
    await records.exclusive('nodes')
    for (const { id, host, state, host_ip } of await records.find<ComputeNode>('compute_node', {})) {
      if (await records.get('node', id)) continue
      const isHere = id === thisNodeId
      const link = { ...noLink, by: isHere ? ('local' as const) : ('engine' as const) }
      const found = { is_online: state === 'up', is_assigned: true, is_primary: isHere }
      await records.put('node', newNode({ id, host, link, ...found, ip_addrs: host_ip === null ? [] : [host_ip] }))
    }
  })
}
