import * as z from 'zod'
import { job } from '../../../../module'
import { changeNode, changeRecord } from '../node-record'
import { openNode } from './scheduling'
import { startAgain } from './start-again'

const Args = z.strictObject({ node_id: z.string(), starts_machines: z.boolean() })

/**
 * Job that ends the maintenance of a node. If a virtual machine does not start, the node stays in maintenance, and the
 * task can be repeated.
 */
export const leavingMaintenance = job({
  name: 'node.maintenance.exit',
  args: Args,
  steps: [
    {
      name: 'start_machines',
      weight: 5,
      async run({ args: { node_id, starts_machines }, scope, time, since }, tools) {
        if (starts_machines) return startAgain({ nodeId: node_id, scope, waited: time - since }, tools)
      },
    },
    {
      name: 'open',
      async run({ args: { node_id }, scope, task_id }, tools) {
        await openNode(tools, scope, node_id)
        await tools.inventory.transaction(async (tx) => {
          await changeRecord(tx, node_id, { maintenance: null })
          const isOther = (id: string) => id !== task_id
          await changeNode(tx, node_id, ({ tasks }) => ({ maintenance: null, tasks: tasks.filter(isOther) }))
        })
      },
    },
  ],
  async onFailure({ args: { node_id }, task_id }, _, { inventory }) {
    await inventory.transaction(async (tx) => {
      await changeNode(tx, node_id, ({ maintenance, tasks }) => ({
        maintenance: maintenance && { ...maintenance, state: 'resume_incomplete', task_id: null },
        tasks: tasks.filter((id) => id !== task_id),
      }))
    })
  },
})
