import { computeNodeStatus } from '@mainstay/contract/compute/node-rules'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { problem } from '@mainstay/contract/core/problems'
import { thisNodeId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'
import type { HostFacts } from '../hypervisor'

/** Fields of a node that a new row must have; the others have defaults. */
type NewNode = Pick<ComputeNode, 'id' | 'host'> & Partial<ComputeNode>

/** Returns a row for a node with the hardware and the hypervisor of this host. */
export const computeNodeRow = (host: Pick<HostFacts, 'cpuModel' | 'hypervisor'>, given: NewNode): ComputeNode => ({
  host_ip: null,
  cpu_model: host.cpuModel || null,
  state: 'up',
  fenced_reason: null,
  in_maintenance: false,
  hypervisor: { status: 'enabled', vms: 0, hypervisor_type: host.hypervisor },
  traits: [],
  services: [{ name: 'mainstay', status: 'enabled', state: 'up' }],
  roles: ['controller', 'compute'],
  custom_params: {},
  statistics: null,
  ...given,
})

/** Throws `no_valid_host` if this host accepts no more instances. Callers hold the exclusive lock `host`. */
export async function checkAccepting(tx: RecordsTransaction): Promise<void> {
  const node = await tx.get<ComputeNode>('compute_node', thisNodeId)
  if (node && computeNodeStatus(node) !== 'up') throw problem('compute.no_node_accepts')
}
