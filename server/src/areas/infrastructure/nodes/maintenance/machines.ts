import { instanceCan, instanceInProgress, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Tools } from '../../../../tools'

/** Most names in one text. */
const MOST_NAMES = 5

/** Whether a machine does not use its host: it is off, and no operation on it is in progress. A paused one is not off. */
const isOff = (machine: Instance): boolean =>
  !instanceInProgress(machine) && instanceIsStopped(machine) && machine.status !== 'PAUSED'

/** Virtual machines on a host, except those that are off. Failed ones count, because they may still run. */
export async function machinesOn(
  { inventory }: Pick<Tools, 'inventory'>,
  { host }: Pick<Node, 'host'>,
): Promise<Instance[]> {
  const machines = await inventory.transaction((tx) => tx.find<Instance>('server', { host }))
  return machines.filter((machine) => !isOff(machine))
}

/** Whether a machine can be shut down and started again without losing what it does. */
export const canBeStopped = (machine: Instance): boolean =>
  machine.status === 'ACTIVE' && instanceCan('shutDown', machine)

export const canBeMoved = (machine: Instance): boolean => machine.status === 'ACTIVE' && instanceCan('migrate', machine)

/** The names of machines for a text; of many, only the first ones. */
export const namesOf = (machines: readonly Pick<Instance, 'name'>[]): string =>
  [...machines.slice(0, MOST_NAMES).map(({ name }) => name), ...(machines.length > MOST_NAMES ? ['…'] : [])].join(', ')

/**
 * Whether machines can move from one host to another: only in a cloud that has another host that accepts them. Its
 * compute service must be up and enabled, and its node must not be in maintenance or about to change.
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
