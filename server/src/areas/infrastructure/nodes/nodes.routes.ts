import { problem } from '@mainstay/contract/core/problems'
import { diskKind, disks, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind, nodeInterfaces, type NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import { whyNotReinstalled } from '@mainstay/contract/infrastructure/node-actions'
import { nodeKind, nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { readFrom, serve } from '../../../http/serve'
import type { Tools } from '../../../tools'
import { beginDeletion } from './delete-job'
import { lockNode, membershipIsFixed, nodeOf, refuseBecause, refuseBusy } from './node-of'
import { changeNode, changeRecord } from './node-record'
import { registrationCommand } from './registration/command'
import { generateNodeToken } from './registration/tokens'

/** Marks a node as waiting for its host to be reinstalled, and generates a token for the reinstallation. */
const beginReinstall = ({ inventory }: Tools, given: Node, hours: number) =>
  inventory.transaction(async (tx, db) => {
    const found = await lockNode(tx, given)
    refuseBecause(whyNotReinstalled(found))
    await refuseBusy(db, given)
    const node = (await changeNode(tx, found.id, () => ({ activity: 'installing' })))!
    return { node, ...(await generateNodeToken(tx, node, hours)) }
  })

export const nodeRoutes = [
  ...serve(
    nodes,
    {
      ...readFrom<Node>(nodeKind),
      async delete({ scope, params }, tools) {
        return { task_id: await beginDeletion(tools, scope, await nodeOf(scope, params.id, tools)) }
      },
      async release({ scope, params }, tools) {
        const node = await nodeOf(scope, params.id, tools)
        if (!node.is_assigned) throw problem('infrastructure.node_not_released', { host: node.host })
        throw membershipIsFixed(tools, node)
      },
      async reinstall({ scope, params, body, request }, tools) {
        const given = await nodeOf(scope, params.id, tools)
        const { node, token, expires_at } = await beginReinstall(tools, given, body.ttl)
        return { node, ...registrationCommand(tools, request, token), expires_at }
      },
      async cancelReinstall({ scope, params }, { inventory, ...tools }) {
        const node = await nodeOf(scope, params.id, { inventory, ...tools })
        return inventory.transaction(async (tx, db) => {
          const { id, host, activity } = await lockNode(tx, node)
          await refuseBusy(db, node)
          if (activity !== 'installing') throw problem('infrastructure.node_not_installing', { host })
          await changeRecord(tx, id, { reinstall: null })
          return (await changeNode(tx, id, () => ({ activity: null })))!
        })
      },
    },
    { kind: nodeKind },
  ),
  ...serve(disks, readFrom<Disk>(diskKind), { kind: diskKind }),
  ...serve(nodeInterfaces, readFrom<NodeInterface>(nodeInterfaceKind), { kind: nodeInterfaceKind }),
]
