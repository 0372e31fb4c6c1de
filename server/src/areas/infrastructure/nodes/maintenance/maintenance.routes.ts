import type { RuleText } from '@mainstay/contract/core/said'
import { whyNoMaintenance, whyNotLeaving } from '@mainstay/contract/infrastructure/node-actions'
import { nodeMaintenance, type MaintenanceModes } from '@mainstay/contract/infrastructure/node-maintenance'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../../../http/serve'
import { enqueue } from '../../../../tasks/job'
import type { Tools } from '../../../../tools'
import { lockNode, nodeOf, refuseBecause, refuseBusy, subjectOf } from '../node-of'
import { changeNode, recordOf } from '../node-record'
import { enteringMaintenance } from './enter-job'
import { leavingMaintenance } from './exit-job'
import { precheck, refuseBlocked } from './precheck'

type State = NonNullable<Node['maintenance']>['state']

/** Locks the node, checks its state, and starts the task that changes it. */
const begin = (
  { inventory }: Tools,
  given: Node,
  {
    state,
    whyNot,
    start,
  }: { state: State; whyNot(node: Node): RuleText | null; start(tx: RecordsTransaction): Promise<string> },
): Promise<string> =>
  inventory.transaction(async (tx, db) => {
    const node = await lockNode(tx, given)
    await refuseBusy(db, node)
    refuseBecause(whyNot(node))
    const task_id = await start(tx)
    const since = node.maintenance?.since ?? new Date().toISOString()
    await changeNode(tx, node.id, ({ tasks }) => ({
      maintenance: { state, since, task_id },
      tasks: [...tasks, task_id],
    }))
    return task_id
  })

async function enter(scope: Scope, given: Node, modes: MaintenanceModes, tools: Tools): Promise<string> {
  await refuseBlocked(tools, given, modes)
  return begin(tools, given, {
    state: 'suspending',
    whyNot: whyNoMaintenance,
    start: (tx) =>
      enqueue(tx, enteringMaintenance, {
        ...{ args: { node_id: given.id, modes }, subject: subjectOf(given), scope, cancellable: true },
      }),
  })
}

const leave = (scope: Scope, given: Node, startsMachines: boolean, tools: Tools): Promise<string> =>
  begin(tools, given, {
    state: 'resuming',
    whyNot: whyNotLeaving,
    start: (tx) =>
      enqueue(tx, leavingMaintenance, {
        ...{ args: { node_id: given.id, starts_machines: startsMachines }, subject: subjectOf(given), scope },
      }),
  })

export const maintenanceRoutes = serve(
  nodeMaintenance,
  {
    async view({ scope, params }, tools) {
      const { id, maintenance } = await nodeOf(scope, params.id, tools)
      const { maintenance: kept } = await tools.inventory.transaction((tx) => recordOf(tx, id))
      return {
        state: maintenance?.state ?? null,
        since: maintenance?.since ?? null,
        task_id: maintenance?.task_id ?? null,
        modes: kept?.modes ?? null,
        stopped: kept?.stopped ?? [],
      }
    },
    precheck: async ({ scope, params }, tools) => precheck(tools, await nodeOf(scope, params.id, tools)),
    enter: async ({ scope, params, body }, tools) => ({
      task_id: await enter(scope, await nodeOf(scope, params.id, tools), body, tools),
    }),
    exit: async ({ scope, params, body }, tools) => ({
      task_id: await leave(scope, await nodeOf(scope, params.id, tools), body.compute_mode !== 'ignore', tools),
    }),
  },
  { about: 'node_maintenance' },
)
