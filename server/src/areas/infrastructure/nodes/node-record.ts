import { nodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { MaintenanceModes } from '@mainstay/contract/infrastructure/node-maintenance'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import type { Database } from '../../../store/schema'

/** Data that the server stores about a node but never shows. */
export interface NodeRecord {
  /** Identifies the installed system of a registered host. */
  machine_id: string | null
  /** Connection settings of a registered host. `host_key` is its pinned public key. */
  ssh: { address: string; port: number; user: string; host_key: string } | null
  /** The token for the reinstallation of the host; only its hash is stored. */
  reinstall: { token_hash: string; expires_at: string } | null
  /**
   * The modes of the maintenance, the virtual machines that were shut down for it, and whether it has fenced the node
   * in the cloud.
   */
  maintenance: { modes: MaintenanceModes; stopped: { id: string; name: string }[]; is_closed: boolean } | null
}

const nothing: NodeRecord = { machine_id: null, ssh: null, reinstall: null, maintenance: null }

export const recordOf = async (tx: Pick<RecordsTransaction, 'getPrivate'>, id: string): Promise<NodeRecord> => ({
  ...nothing,
  ...(await tx.getPrivate<Partial<NodeRecord>>('node', id)),
})

/** Returns the records of all nodes that have one, by ID, using a single query. */
export async function recordsOf(db: Transaction<Database>): Promise<(id: string) => NodeRecord> {
  const rows = await db.selectFrom('private_record').select(['id', 'data']).where('kind', '=', 'node').execute()
  const records = new Map(rows.map(({ id, data }) => [id, data as Partial<NodeRecord>]))
  return (id) => ({ ...nothing, ...records.get(id) })
}

/** Changes fields in the record of a node. */
export async function changeRecord(tx: RecordsTransaction, id: string, change: Partial<NodeRecord>): Promise<void> {
  await tx.putPrivate('node', id, { ...(await recordOf(tx, id)), ...change })
}

/**
 * Writes changed fields of a node, and the status that results from them. Returns null if the node no longer exists.
 */
export async function changeNode(
  tx: RecordsTransaction,
  id: string,
  change: (node: Node) => Partial<Node>,
): Promise<Node | null> {
  const before = await tx.lock<Node>('node', id)
  if (!before) return null
  const node = { ...before, ...change(before) }
  const after = { ...node, status: nodeStatus(node) }
  await tx.put('node', after)
  return after
}
