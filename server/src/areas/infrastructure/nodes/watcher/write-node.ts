import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Disk } from '@mainstay/contract/infrastructure/disks'
import type { NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import type { HostService } from '@mainstay/contract/infrastructure/node-facts'
import { hostName } from '@mainstay/contract/infrastructure/node-registration'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Entity, RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Inventory } from '../../../../inventory/types'
import { changeNode, changeRecord, recordOf } from '../node-record'
import { NODES_LOCK } from '../node-rows'
import { diskId, diskRow, interfaceId, interfaceRow, spacesOf, type Observed } from './observed-rows'

type Writes = Pick<Inventory, 'transaction'>

const PLATFORM_SERVICES = ['management', 'compute']
const isOfHost = ({ name }: HostService): boolean => !PLATFORM_SERVICES.includes(name)

/** Status of the compute service on a node, by the state of its compute node. */
const computeStatus: Record<ComputeNode['state'], HostService['status']> = {
  ...{ up: 'running', joining: 'starting', releasing: 'starting', recovering: 'starting' },
  ...{ released: 'stopped', down: 'failed', recovery_failed: 'failed' },
}

/** Returns the services of the platform on a node, based on the state of its compute node. */
function platformServices({ is_primary }: Pick<Node, 'is_primary'>, compute: ComputeNode | null): HostService[] {
  const management: HostService[] = is_primary ? [{ name: 'management', status: 'running', message: null }] : []
  if (!compute) return management
  return [...management, { name: 'compute', status: computeStatus[compute.state], message: null }]
}

/**
 * Returns the new name of a registered host; null if it keeps its name. A host cannot take the name of another node,
 * and an engine assigns the names of its own hosts.
 */
async function newNameOf(tx: RecordsTransaction, { id, host, link }: Node, hostname: string): Promise<string | null> {
  const isName = hostname.length <= hostName.most && hostName.form.test(hostname)
  if (link.by !== 'ssh' || hostname === host || !isName) return null
  await tx.exclusive(NODES_LOCK)
  if (await tx.get('compute_node', id)) return null
  return (await tx.find('node', { host: hostname })).length > 0 ? null : hostname
}

/**
 * Writes the facts that were read from the host of a node. Fields that operators have set are kept, and so are fields
 * that were not read.
 */
export const writeObserved = ({ inventory }: { inventory: Writes }, id: string, observed: Observed): Promise<void> =>
  inventory.transaction(async (tx) => {
    const known = await tx.get<Node>('node', id)
    if (!known) return
    const name = await newNameOf(tx, known, observed.hostname)
    const before = await tx.lock<Node>('node', id)
    if (!before) return
    const compute = await tx.get<ComputeNode>('compute_node', id)
    const platform = platformServices(before, compute)
    // the host of the server is not registered, so its machine ID is stored here
    if (before.link.by === 'local' && (await recordOf(tx, id)).machine_id !== observed.machine_id)
      await changeRecord(tx, id, { machine_id: observed.machine_id })
    const { disks, interfaces } = observed
    const rows =
      disks &&
      (await replaceRows<Disk>(tx, 'disk', id, (kept) =>
        disks.map((disk) => diskRow(id, disk, kept.get(diskId(id, disk.key)))),
      ))
    if (interfaces)
      await replaceRows<NodeInterface>(tx, 'node_interface', id, (kept) =>
        interfaces.map((given) => interfaceRow(id, given, kept.get(interfaceId(id, given.name)))),
      )
    if (!disks) await restoreDisks(tx, id)
    await changeNode(tx, id, ({ link, services }) => ({
      ...observed.node,
      ...(rows && { spaces: spacesOf(rows) }),
      ...{ host: name ?? before.host, is_online: true, is_assigned: compute !== null },
      services: [...platform, ...(observed.services ?? services.filter(isOfHost))],
      link: { ...link, rights: observed.rights, problem: null },
      seen_at: new Date().toISOString(),
    }))
  })

/** Locks the rows of a node, so that concurrent changes are not lost. */
async function lockRows<Row extends Entity>(tx: RecordsTransaction, kind: string, nodeId: string): Promise<Row[]> {
  const ids = (await tx.find(kind, { node_id: nodeId })).map(({ id }) => id).toSorted()
  const rows: Row[] = []
  for (const id of ids) {
    const row = await tx.lock<Row>(kind, id)
    if (row) rows.push(row)
  }
  return rows
}

/** Replaces the rows of a node, and removes those that are no longer reported. Returns the new rows. */
async function replaceRows<Row extends Entity>(
  tx: RecordsTransaction,
  kind: string,
  nodeId: string,
  rowsFrom: (known: ReadonlyMap<string, Row>) => Row[],
): Promise<Row[]> {
  const known = new Map((await lockRows<Row>(tx, kind, nodeId)).map((row) => [row.id, row]))
  const rows = rowsFrom(known)
  for (const row of rows) await tx.put(kind, row)
  const left = new Set(rows.map(({ id }) => id))
  for (const id of known.keys()) if (!left.has(id)) await tx.remove(kind, id)
  return rows
}

/** Makes disks available again that have not been read since their node was offline. */
async function restoreDisks(tx: RecordsTransaction, nodeId: string): Promise<void> {
  for (const disk of await lockRows<Disk>(tx, 'disk', nodeId))
    if (disk.disk_status === 'unavail')
      await tx.put('disk', { ...disk, disk_status: disk.smart_status === 'failed' ? 'failed' : 'ok' } satisfies Disk)
}

/** Marks a node offline, with the reason, and its disks as unavailable. */
export const writeLost = ({ inventory }: { inventory: Writes }, id: string, problem: string): Promise<void> =>
  inventory.transaction(async (tx) => {
    const node = await changeNode(tx, id, ({ link }) => ({ is_online: false, link: { ...link, problem } }))
    if (!node) return
    for (const disk of await lockRows<Disk>(tx, 'disk', id))
      await tx.put('disk', { ...disk, disk_status: 'unavail' } satisfies Disk)
  })

/** Stores the reason why a node cannot be reached at the moment, while it still counts as online. */
export const writeProblem = ({ inventory }: { inventory: Writes }, id: string, problem: string): Promise<void> =>
  inventory.transaction(async (tx) => {
    await changeNode(tx, id, ({ link }) => ({ link: { ...link, problem } }))
  })
