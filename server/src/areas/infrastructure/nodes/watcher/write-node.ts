import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Disk } from '@mainstay/contract/infrastructure/disks'
import type { NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import type { HostService } from '@mainstay/contract/infrastructure/node-facts'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Entity, RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Inventory } from '../../../../inventory/types'
import { changeNode } from '../node-record'
import { diskId, diskRow, interfaceId, interfaceRow, type Observed } from './observed-rows'

type Writes = Pick<Inventory, 'transaction'>

/** Services of the platform on a node, from the state of its compute node. */
function platformServices({ is_primary }: Pick<Node, 'is_primary'>, compute: ComputeNode | null): HostService[] {
  const management: HostService[] = is_primary ? [{ name: 'management', status: 'running', message: null }] : []
  if (!compute) return management
  const status = compute.state === 'up' ? 'running' : 'failed'
  return [...management, { name: 'compute', status, message: null }]
}

/** Writes what was read from the host of a node. Fields that operators set are kept. */
export const writeObserved = ({ inventory }: { inventory: Writes }, id: string, observed: Observed): Promise<void> =>
  inventory.transaction(async (tx) => {
    const compute = await tx.get<ComputeNode>('compute_node', id)
    const node = await changeNode(tx, id, (before) => ({
      ...observed.node,
      // an engine names its hosts itself
      host: compute === null && before.link.by === 'ssh' ? observed.hostname : before.host,
      is_online: true,
      is_assigned: compute !== null,
      services: [...platformServices(before, compute), ...observed.services],
      link: { ...before.link, rights: observed.rights, problem: null },
      seen_at: new Date().toISOString(),
    }))
    if (!node) return
    await replaceRows<Disk>(tx, 'disk', id, (known) =>
      observed.disks.map((disk) => diskRow(id, disk, known.get(diskId(id, disk.key)))),
    )
    await replaceRows<NodeInterface>(tx, 'node_interface', id, (known) =>
      observed.interfaces.map((given) => interfaceRow(id, given, known.get(interfaceId(id, given.name)))),
    )
  })

/** Writes the rows of a node, and removes those that are no longer reported. */
async function replaceRows<Row extends Entity>(
  tx: RecordsTransaction,
  kind: string,
  nodeId: string,
  rowsFrom: (known: ReadonlyMap<string, Row>) => Row[],
): Promise<void> {
  const known = new Map((await tx.find<Row>(kind, { node_id: nodeId })).map((row) => [row.id, row]))
  const rows = rowsFrom(known)
  for (const row of rows) await tx.put(kind, row)
  const left = new Set(rows.map(({ id }) => id))
  for (const id of known.keys()) if (!left.has(id)) await tx.remove(kind, id)
}

/** Marks a node offline, with the reason, and its disks as unavailable. */
export const writeLost = ({ inventory }: { inventory: Writes }, id: string, problem: string): Promise<void> =>
  inventory.transaction(async (tx) => {
    const node = await changeNode(tx, id, ({ link }) => ({ is_online: false, link: { ...link, problem } }))
    if (!node) return
    for (const disk of await tx.find<Disk>('disk', { node_id: id }))
      await tx.put('disk', { ...disk, disk_status: 'unavail' } satisfies Disk)
  })

/** Writes why a node cannot be reached at the moment, while it still counts as online. */
export const writeProblem = ({ inventory }: { inventory: Writes }, id: string, problem: string): Promise<void> =>
  inventory.transaction(async (tx) => {
    await changeNode(tx, id, ({ link }) => ({ link: { ...link, problem } }))
  })
