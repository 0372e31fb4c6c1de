import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceInProgress, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { MaintenanceModes } from '@mainstay/contract/infrastructure/node-maintenance'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { RunAgain } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { job } from '../../../../module'
import type { RunOf } from '../../../../tasks/job'
import type { Tools } from '../../../../tools'
import { changeNode, changeRecord, recordOf, type NodeRecord } from '../node-record'
import { canBeMoved, canBeStopped, machinesOn } from './machines'
import { closeNode, openNode } from './scheduling'
import { startAgain } from './start-again'

const Args = z.strictObject({ node_id: z.string(), modes: MaintenanceModes })
type Run = RunOf<z.infer<typeof Args>>

const LOOK_AGAIN_MS = 1_000
/** Seconds that a guest has to shut down before it is powered off. */
const SHUTDOWN_SECONDS = 120
const MOVES_AT_ONCE = 2
/** Maximum time for shutting down all virtual machines. */
const LONGEST_STOP_MS = 10 * 60_000
/** The step fails if no virtual machine arrives on another host within this time. */
const LONGEST_MOVE_MS = 60 * 60_000

/** Returns the node that a run is about. Throws if it was deleted in the meantime. */
const nodeIn = ({ inventory }: Tools, id: string): Promise<Node> =>
  inventory.transaction(async (tx) => {
    const node = await tx.get<Node>('node', id)
    if (!node) throw problem('core.not_found')
    return node
  })

/** Shuts down the virtual machines. Each one is recorded first, so that it can be started again in any case. */
async function stopMachines({ args, scope, time, since }: Run, tools: Tools): Promise<void | RunAgain> {
  const { inventory, ports } = tools
  const node = await nodeIn(tools, args.node_id)
  const machines = await machinesOn(tools, node)
  const [first] = machines
  if (!first) return
  const stuck = machines.find((machine) => !instanceInProgress(machine) && !canBeStopped(machine))
  if (stuck) throw problem('infrastructure.maintenance_not_stopped', { name: stuck.name })
  if (time - since > LONGEST_STOP_MS) throw problem('infrastructure.maintenance_not_stopped', { name: first.name })
  const next = machines.filter(canBeStopped)
  await inventory.transaction(async (tx) => {
    await tx.lock('node', node.id)
    const { maintenance } = await recordOf(tx, node.id)
    const known = maintenance?.stopped ?? []
    const added = next.filter(({ id }) => !known.some((it) => it.id === id)).map(({ id, name }) => ({ id, name }))
    await changeRecord(tx, node.id, {
      maintenance: { is_closed: false, ...maintenance, modes: args.modes, stopped: [...known, ...added] },
    })
  })
  const how = { hard: false, timeoutSeconds: SHUTDOWN_SECONDS }
  for (const { id } of next)
    await ports.compute.instances.stop(scope, id, how).catch(unlessDone(tools, id, instanceIsStopped))
  return { again: LOOK_AGAIN_MS }
}

/**
 * Ignores the refusal of a command if someone else has deleted or changed the virtual machine in the meantime, or is
 * changing it.
 */
const unlessDone =
  ({ inventory }: Tools, id: string, isDone: (machine: Instance) => boolean) =>
  async (error: unknown): Promise<void> => {
    if (!(error instanceof Problem)) throw error
    const row = (await inventory.rowsOf(instanceKind, [id])).get(id) as Instance | undefined
    if (row && !isDone(row) && row.task_state === null) throw error
  }

/**
 * Virtual machines moved so far, the number that were left at the last check, and since when that number has been the
 * same.
 */
const Moving = z.object({
  tried: z.array(z.string()).default([]),
  left: z.number().default(0),
  unchanged_since: z.number().default(0),
})

/**
 * Moves the virtual machines to other hosts, a few at a time. The step fails if one of them returns or cannot be moved.
 */
async function moveMachines({ args, scope, state, time }: Run, tools: Tools): Promise<void | RunAgain> {
  const node = await nodeIn(tools, args.node_id)
  const machines = await machinesOn(tools, node)
  const [first] = machines
  if (!first) return
  const { tried, left, unchanged_since } = Moving.parse(state)
  const since = left === machines.length ? unchanged_since : time
  const settled = machines.filter((machine) => !instanceInProgress(machine))
  const stuck = settled.find((machine) => tried.includes(machine.id) || !canBeMoved(machine))
  const late = time - since > LONGEST_MOVE_MS ? first : undefined
  const failed = stuck ?? late
  if (failed) throw problem('infrastructure.maintenance_not_moved', { name: failed.name })
  const next = settled.slice(0, Math.max(0, MOVES_AT_ONCE - (machines.length - settled.length)))
  const { instances } = tools.ports.compute
  const isAway = ({ host }: Instance) => host !== node.host
  for (const { id } of next)
    await instances.migrate(scope, id, { node: null, cold: false }).catch(unlessDone(tools, id, isAway))
  const moved = [...tried, ...next.map(({ id }) => id)]
  return { again: LOOK_AGAIN_MS, state: { tried: moved, left: machines.length, unchanged_since: since } }
}

/** Whether there is nothing left to start or to reopen when the node leaves maintenance. */
const hasNothingLeft = (kept: NodeRecord['maintenance']): boolean =>
  !kept || (kept.stopped.length === 0 && !kept.is_closed)

/**
 * Job that puts a node into maintenance. While a node has a maintenance state, its engine places no new virtual
 * machines on it. If a step fails or the task is cancelled, virtual machines that were shut down are started again.
 */
export const enteringMaintenance = job({
  name: 'node.maintenance.enter',
  args: Args,
  steps: [
    {
      name: 'close',
      async run({ args, scope, task_id }, tools) {
        const { node_id, modes } = args
        await tools.inventory.transaction(async (tx) => {
          const since = new Date().toISOString()
          await changeNode(tx, node_id, ({ maintenance }) => ({
            maintenance: { since: maintenance?.since ?? since, state: 'suspending', task_id },
          }))
          const { maintenance } = await recordOf(tx, node_id)
          await changeRecord(tx, node_id, { maintenance: { stopped: [], is_closed: false, ...maintenance, modes } })
        })
        await closeNode(tools, scope, node_id)
      },
      async undo({ args: { node_id }, scope }, tools) {
        await openNode(tools, scope, node_id)
        await tools.inventory.transaction(async (tx) => {
          const { maintenance } = await recordOf(tx, node_id)
          // virtual machines that could not be started again stay in the list, so that leaving maintenance tries once
          // more
          const isWhole = hasNothingLeft(maintenance)
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
        // the engine starts no virtual machines on a node that is entering maintenance
        await tools.inventory.transaction((tx) =>
          changeNode(tx, node_id, ({ maintenance }) => ({
            maintenance: maintenance && { ...maintenance, state: 'resuming' },
          })),
        )
        return startAgain({ nodeId: node_id, scope, waited: time - since, stopsShutdowns: true }, tools)
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
      const { maintenance: kept } = await recordOf(tx, node_id)
      const isWhole = hasNothingLeft(kept)
      await changeNode(tx, node_id, ({ maintenance, tasks }) => ({
        // a task that ends before its first step has nothing to undo, but virtual machines of an earlier attempt may
        // still be off
        maintenance:
          maintenance?.task_id !== task_id
            ? maintenance
            : isWhole
              ? null
              : { ...maintenance, state: 'suspend_incomplete', task_id: null },
        tasks: tasks.filter((id) => id !== task_id),
      }))
      if (isWhole) await changeRecord(tx, node_id, { maintenance: null })
    })
  },
})
