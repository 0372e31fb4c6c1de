import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceIsErrored, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import { MaintenanceModes } from '@mainstay/contract/infrastructure/node-maintenance'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { RunAgain } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { job } from '../../../../module'
import type { RunOf } from '../../../../tasks/job'
import type { Tools } from '../../../../tools'
import { changeNode, changeRecord, recordOf } from '../node-record'
import { canBeMoved, canBeStopped, runningOn } from './machines'
import { startAgain } from './start-again'

const Args = z.strictObject({ node_id: z.string(), modes: MaintenanceModes })
type Run = RunOf<z.infer<typeof Args>>

const LOOK_AGAIN_MS = 1_000
/** Seconds that a guest has for its shutdown; then it is powered off. */
const SHUTDOWN_SECONDS = 120
const MOVES_AT_ONCE = 2

/** The node of a run. Throws if it was deleted in the meantime. */
const nodeIn = ({ inventory }: Tools, id: string): Promise<Node> =>
  inventory.transaction(async (tx) => {
    const node = await tx.get<Node>('node', id)
    if (!node) throw problem('core.not_found')
    return node
  })

/** Shuts down the running machines. Each is noted before, so that it can be started again whatever happens. */
async function stopMachines({ args, scope }: Run, tools: Tools): Promise<void | RunAgain> {
  const { inventory, ports } = tools
  const node = await nodeIn(tools, args.node_id)
  const running = await runningOn(tools, node)
  if (running.length === 0) return
  const next = running.filter(canBeStopped)
  await inventory.transaction(async (tx) => {
    await tx.lock('node', node.id)
    const { maintenance } = await recordOf(tx, node.id)
    const known = maintenance?.stopped ?? []
    const added = next.filter(({ id }) => !known.some((it) => it.id === id)).map(({ id, name }) => ({ id, name }))
    await changeRecord(tx, node.id, { maintenance: { modes: args.modes, stopped: [...known, ...added] } })
  })
  const how = { hard: false, timeoutSeconds: SHUTDOWN_SECONDS }
  for (const { id } of next) await ports.compute.instances.stop(scope, id, how).catch(unlessDone(tools, id))
  return { again: LOOK_AGAIN_MS }
}

/** Ignores the error of a command if the machine was deleted or shut down by someone else in the meantime. */
const unlessDone =
  ({ inventory }: Tools, id: string) =>
  async (error: unknown): Promise<void> => {
    const row = (await inventory.rowsOf(instanceKind, [id])).get(id) as Instance | undefined
    if (row && !instanceIsStopped(row) && row.task_state === null) throw error
  }

const Moving = z.object({ tried: z.array(z.string()).default([]) })

/** Moves the running machines to other hosts, a few at a time. A machine that returns fails the step. */
async function moveMachines({ args, scope, state }: Run, tools: Tools): Promise<void | RunAgain> {
  const node = await nodeIn(tools, args.node_id)
  const running = await runningOn(tools, node)
  if (running.length === 0) return
  const { tried } = Moving.parse(state)
  const idle = running.filter(canBeMoved)
  const stuck = [...idle.filter(({ id }) => tried.includes(id)), ...running.filter(instanceIsErrored)]
  if (stuck[0]) throw problem('infrastructure.maintenance_not_moved', { name: stuck[0].name })
  const next = idle.slice(0, Math.max(0, MOVES_AT_ONCE - (running.length - idle.length)))
  for (const { id } of next) await tools.ports.compute.instances.migrate(scope, id, { node: null, cold: false })
  return { again: LOOK_AGAIN_MS, state: { tried: [...tried, ...next.map(({ id }) => id)] } }
}

/**
 * Puts a node into maintenance. While a node has a maintenance state, its engine places no new machines on it. If a
 * step fails or the task is cancelled, machines that were shut down are started again.
 */
export const enteringMaintenance = job({
  name: 'node.maintenance.enter',
  args: Args,
  steps: [
    {
      name: 'close',
      async run({ args, task_id }, { inventory }) {
        const { node_id, modes } = args
        await inventory.transaction(async (tx) => {
          const since = new Date().toISOString()
          await changeNode(tx, node_id, ({ maintenance }) => ({
            maintenance: { since: maintenance?.since ?? since, state: 'suspending', task_id },
          }))
          const { maintenance } = await recordOf(tx, node_id)
          await changeRecord(tx, node_id, { maintenance: { modes, stopped: maintenance?.stopped ?? [] } })
        })
      },
      async undo({ args: { node_id } }, { inventory }) {
        await inventory.transaction(async (tx) => {
          const { maintenance } = await recordOf(tx, node_id)
          // machines that could not be started again are kept, so that leaving maintenance tries it once more
          const isWhole = !maintenance || maintenance.stopped.length === 0
          await changeNode(tx, node_id, (node) => ({
            maintenance: isWhole ? null : { ...node.maintenance!, state: 'suspend_incomplete', task_id: null },
          }))
          if (isWhole) await changeRecord(tx, node_id, { maintenance: null })
        })
      },
    },
    {
      name: 'compute',
      weight: 5,
      async run(run, tools) {
        const { compute_mode } = run.args.modes
        if (compute_mode === 'suspend') return stopMachines(run, tools)
        if (compute_mode === 'evacuate') return moveMachines(run, tools)
      },
      async undo({ args: { node_id }, scope, since, time }, tools) {
        return startAgain({ nodeId: node_id, scope, waited: time - since }, tools)
      },
    },
    {
      name: 'enter',
      async run({ args: { node_id }, task_id }, { inventory }) {
        await inventory.transaction(async (tx) => {
          await changeNode(tx, node_id, ({ maintenance, tasks }) => ({
            maintenance: { ...maintenance!, state: 'suspended', task_id: null },
            tasks: tasks.filter((id) => id !== task_id),
          }))
        })
      },
    },
  ],
  async onFailure({ args: { node_id }, task_id }, _, { inventory }) {
    await inventory.transaction(async (tx) => {
      await changeNode(tx, node_id, ({ maintenance, tasks }) => ({
        // a step before the first one cannot be undone
        maintenance: maintenance?.state === 'suspending' ? null : maintenance,
        tasks: tasks.filter((id) => id !== task_id),
      }))
    })
  },
})
