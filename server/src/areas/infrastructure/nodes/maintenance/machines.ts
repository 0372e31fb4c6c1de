import { instanceCan, instanceInProgress, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Tools } from '../../../../tools'

/** Maximum number of names in one text. */
const MOST_NAMES = 5

/**
 * Whether a virtual machine does not use its host: it is off, and no operation on it is in progress. Paused virtual
 * machines are not off.
 */
const isOff = (machine: Instance): boolean =>
  !instanceInProgress(machine) && instanceIsStopped(machine) && machine.status !== 'PAUSED'

/**
 * Returns the virtual machines on a host, except those that are off. Failed ones are included, because they may still
 * be running.
 */
export async function machinesOn(
  { inventory }: Pick<Tools, 'inventory'>,
  { host }: Pick<Node, 'host'>,
): Promise<Instance[]> {
  const machines = await inventory.transaction((tx) => tx.find<Instance>('server', { host }))
  return machines.filter((machine) => !isOff(machine))
}

/** Whether a virtual machine can be shut down and started again, which requires that it is active. */
export const canBeStopped = (machine: Instance): boolean =>
  machine.status === 'ACTIVE' && instanceCan('shutDown', machine)

export const canBeMoved = (machine: Instance): boolean => machine.status === 'ACTIVE' && instanceCan('migrate', machine)

/** Returns the names of virtual machines for a text; if there are many, only the first ones. */
export const namesOf = (machines: readonly Pick<Instance, 'name'>[]): string =>
  [...machines.slice(0, MOST_NAMES).map(({ name }) => name), ...(machines.length > MOST_NAMES ? ['…'] : [])].join(', ')

/**
 * Whether virtual machines can be moved to another host. This is possible only in a cloud that has another host whose
 * compute service is up and enabled, and whose node is not in maintenance or about to change.
 */
export async function hasOtherHosts(
  { inventory, areas }: Pick<Tools, 'inventory' | 'areas'>,
  { id }: Pick<Node, 'id'>,
): Promise<boolean> {
  if (!areas.compute.engine?.feed) return false
  return inventory.transaction(async (tx) => {
    const accepting = await tx.find<ComputeNode>('compute_node', { state: 'up', 'hypervisor.status': 'enabled' })
    const online = await tx.find<Node>('node', { is_online: true, maintenance: null, activity: null })
    const ids = new Set(online.map((node) => node.id))
    return accepting.some((node) => node.id !== id && ids.has(node.id))
  })
}
