import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { nodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import type { Node, NodeLinkState } from '@mainstay/contract/infrastructure/nodes'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import { hasJobs } from '../../../inventory/jobs'
import type { Tools } from '../../../tools'
import { defaultPlaces } from '../locations/default-places'
import { changeNode } from './node-record'

/** Creates a node about which nothing has been read yet. */
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
    advice: [],
    seen_at: null,
    created_at: new Date().toISOString(),
    ...given,
  }
  return { ...node, status: nodeStatus(node) }
}

export const noLink: NodeLinkState = {
  ...{ by: 'engine', address: null, port: null, host_key: null, rights: null, problem: null },
}

/** Name of the lock that is held while nodes are added or removed. */
export const NODES_LOCK = 'nodes'

/** Moves a registered host to the ID that an engine has assigned to it. */
async function adopt(tx: RecordsTransaction, node: Node, id: string): Promise<void> {
  const kept = await tx.getPrivate('node', node.id)
  await tx.remove('node', node.id)
  await tx.removePrivate('node', node.id)
  await tx.put('node', { ...node, id, is_assigned: true })
  if (kept !== null) await tx.putPrivate('node', id, kept)
}

/**
 * Keeps nodes in sync with the compute nodes of the engines: a new compute node becomes a node with the same ID, and a
 * node that was never registered is removed together with its compute node. For a node without a link, the engine
 * reports whether the node is online. The only compute node of the embedded engine is the host of the server. Returns
 * the states of the compute nodes by ID.
 */
export const followComputeNodes = ({
  inventory,
}: {
  inventory: Pick<Tools['inventory'], 'transaction'>
}): Promise<ReadonlyMap<string, string>> =>
  inventory.transaction(async (tx, db) => {
    await tx.exclusive(NODES_LOCK)
    const computeNodes = await tx.find<ComputeNode>('compute_node', {})
    const nodes = new Map((await tx.find<Node>('node', {})).map((node) => [node.id, node]))
    for (const { id, host, state, host_ip } of computeNodes) {
      const isUp = state !== 'down'
      const known = nodes.get(id)
      if (known) {
        const isOther = known.link.by === 'engine' && known.is_online !== isUp
        if (isOther || !known.is_assigned || known.host !== host)
          await changeNode(tx, id, ({ link, is_online }) => ({
            ...{ host, is_assigned: true, is_online: link.by === 'engine' ? isUp : is_online },
          }))
        continue
      }
      const registered = [...nodes.values()].find((node) => node.host === host && node.link.by === 'ssh')
      if (registered) {
        // running jobs refer to the node by its current ID, so the next round moves it
        if (!(await hasJobs(db, { kind: 'node', id: registered.id }))) await adopt(tx, registered, id)
        continue
      }
      const isHere = id === thisNodeId
      const link: NodeLinkState = { ...noLink, by: isHere ? 'local' : 'engine' }
      const found = { is_online: isUp, is_assigned: true, is_primary: isHere }
      await tx.put('node', newNode({ id, host, link, ...found, ip_addrs: host_ip === null ? [] : [host_ip] }))
    }
    const present = new Set(computeNodes.map(({ id }) => id))
    for (const { id, link, is_assigned } of nodes.values()) {
      if (present.has(id)) continue
      if (link.by === 'engine') {
        await tx.remove('node', id)
        await tx.removePrivate('node', id)
      } else if (is_assigned) await changeNode(tx, id, () => ({ is_assigned: false }))
    }
    return new Map(computeNodes.map(({ id, state }) => [id, state]))
  })
