import { whyNotDeleted } from '@mainstay/contract/infrastructure/node-actions'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { LinkFault } from '@mainstay/engines/hosts/link-fault'
import type { Scope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { job } from '../../../module'
import { enqueue } from '../../../tasks/job'
import type { Tools } from '../../../tools'
import { installationKey, type InstallationKey } from './installation-key'
import { hostsOf, lockNode, refuseBecause, refuseBusy, subjectOf } from './node-of'
import { changeNode, recordOf, type NodeRecord } from './node-record'
import { NODES_LOCK } from './node-rows'
import { removalCommand, removeKey } from './registration/command'
import { targetOf, withinTime } from './watcher/reach'

const Args = z.strictObject({ node_id: z.string() })
const Kept = z.object({ asked: z.boolean().optional(), command: z.string().nullable().optional() })

const WITHIN_MS = 30_000

/** Starts the deletion of a node. Returns the ID of the task. */
export const beginDeletion = ({ inventory }: Tools, scope: Scope, given: Node): Promise<string> =>
  inventory.transaction(async (tx, db) => {
    const node = await lockNode(tx, given)
    refuseBecause(whyNotDeleted(node))
    await refuseBusy(db, node)
    const task = await enqueue(tx, deletingNode, { args: { node_id: node.id }, subject: subjectOf(node), scope })
    await changeNode(tx, node.id, ({ tasks }) => ({ activity: 'in_progress', tasks: [...tasks, task] }))
    return task
  })

/**
 * Removes the installation's key from the host of a node. Throws if that fails. Calls `asks` just before it sends the
 * command that removes the key.
 */
const removeFrom = (
  node: Node,
  record: NodeRecord,
  { signal, asks, publicKey, privateKey }: InstallationKey & { signal: AbortSignal; asks: () => Promise<void> },
  tools: Tools,
): Promise<boolean> =>
  withinTime(WITHIN_MS, { host: node.host, signal }, async (limit) => {
    const target = await targetOf(node, record, async () => privateKey)
    const { link } = await hostsOf(tools).open(target, limit)
    try {
      await asks()
      const { status, err } = await link.run(removeKey(publicKey), { signal: limit })
      if (status !== 0) throw new Error(err)
      return true
    } finally {
      await link.close().catch(() => undefined)
    }
  })

/**
 * Job that deletes a node. It also removes the installation's key from the host. If the host cannot be reached, the
 * result contains the command that removes the key.
 */
export const deletingNode = job({
  name: 'node.delete',
  args: Args,
  steps: [
    {
      name: 'remove_key',
      async run({ args: { node_id }, kept, keep, signal }, tools) {
        const found = await tools.inventory.transaction(async (tx) => {
          const node = await tx.get<Node>('node', node_id)
          return node && { node, record: await recordOf(tx, node_id) }
        })
        if (!found?.record.ssh) return
        const { node, record } = found
        const { publicKey, privateKey } = await installationKey(tools.settings)
        const how = { signal, publicKey, privateKey, asks: () => keep({ asked: true }) }
        const isRemoved = await removeFrom(node, record, how, tools).catch((error: unknown) => {
          signal.throwIfAborted()
          // an earlier run of this step removed the key, but was interrupted before it could store this
          if (error instanceof LinkFault && error.reason === 'refused_key' && Kept.parse(kept).asked) return true
          tools.log.info({ error, node: node.host }, 'the key of the installation was not removed from a host')
          return false
        })
        await keep({ command: isRemoved ? null : removalCommand(publicKey, record.ssh!.user) })
      },
    },
    {
      name: 'forget',
      async run({ args: { node_id } }, { inventory }) {
        await inventory.transaction(async (tx) => {
          await tx.exclusive(NODES_LOCK)
          await tx.remove('node', node_id)
          await tx.removePrivate('node', node_id)
        })
      },
    },
  ],
  /** `command` removes the key from the host; null if the key has already been removed. */
  result: (kept) => {
    const { command = null } = Kept.parse(kept)
    return { is_removed_from_host: command === null, command }
  },
  async onFailure({ args: { node_id }, task_id }, _, { inventory }) {
    await inventory.transaction(async (tx) => {
      await changeNode(tx, node_id, ({ tasks }) => ({ activity: null, tasks: tasks.filter((id) => id !== task_id) }))
    })
  },
})
