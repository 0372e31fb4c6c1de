import { instanceCan, instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { serverScope } from '../../../../tasks/server-scope'
import type { Tools } from '../../../../tools'

/** Virtual machines of a host that are running. */
export async function runningOn(
  { inventory }: Pick<Tools, 'inventory'>,
  { host }: Pick<Node, 'host'>,
): Promise<Instance[]> {
  return (await inventory.transaction((tx) => tx.find<Instance>('server', { host }))).filter(instanceIsRunning)
}

/** Whether a machine can be shut down and started again without losing what it does. */
export const canBeStopped = (machine: Instance): boolean =>
  machine.status === 'ACTIVE' && instanceCan('shutDown', machine)

export const canBeMoved = (machine: Instance): boolean => machine.status === 'ACTIVE' && instanceCan('migrate', machine)

/** Whether machines can move from one host to another: only in a cloud that has another host that responds. */
export async function hasOtherHosts({ inventory, areas }: Pick<Tools, 'inventory' | 'areas'>, node: Node) {
  if (!areas.compute.engine?.feed) return false
  const query = { limit: 2, is_online: 'true', is_assigned: 'true' }
  const { data } = await inventory.list<Node>(nodeKind, serverScope, query)
  return data.some(({ id }) => id !== node.id)
}
