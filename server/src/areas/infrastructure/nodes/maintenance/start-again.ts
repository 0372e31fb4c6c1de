import {
  instanceCan,
  instanceInProgress,
  instanceIsErrored,
  instanceIsRunning,
  instanceIsStopped,
} from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { RunAgain } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../../../tools'
import { changeRecord, recordOf } from '../node-record'
import { namesOf } from './machines'

const LOOK_AGAIN_MS = 1_000
const LONGEST_MS = 10 * 60_000

interface Order {
  nodeId: string
  scope: Scope
  waited: number
  stopsShutdowns?: boolean
}

/**
 * Starts the virtual machines that were shut down for the maintenance of a node, and waits until they are running.
 * Skips virtual machines that someone else has deleted, started or put aside. If some of them do not start, the others
 * are started first, and then an error with their names is thrown. `waited`: milliseconds so far; `stopsShutdowns`:
 * whether to also cancel shutdowns that are still in progress.
 */
export async function startAgain(
  { nodeId, scope, waited, stopsShutdowns = false }: Order,
  tools: Tools,
): Promise<void | RunAgain> {
  const { inventory, ports } = tools
  const { maintenance } = await inventory.transaction((tx) => recordOf(tx, nodeId))
  const stopped = maintenance?.stopped ?? []
  if (!maintenance || stopped.length === 0) return
  const rows = await inventory.rowsOf(
    instanceKind,
    stopped.map(({ id }) => id),
  )
  const left = stopped.flatMap(({ id }) => (rows.get(id) as Instance | undefined) ?? []).filter(isNotBack)
  // virtual machines that are running again must not be started once more if a user shuts them down later
  const ids = new Set(left.map(({ id }) => id))
  await inventory.transaction(async (tx) => {
    await tx.lock('node', nodeId)
    const kept = { ...maintenance, stopped: stopped.filter(({ id }) => ids.has(id)) }
    await changeRecord(tx, nodeId, { maintenance: kept })
  })
  if (left.length === 0) return
  if (stopsShutdowns)
    for (const machine of left.filter((it) => instanceCan('cancelShutdown', it)))
      // not every cloud can cancel a shutdown; the virtual machine is then started once it is off
      await ports.compute.instances.cancelStop(scope, machine.id).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
      })
  const waiting: Instance[] = []
  let reason: unknown
  for (const machine of left) {
    if (machine.task_state === null && instanceIsErrored(machine)) continue
    const isStarted =
      machine.task_state !== null ||
      machine.status !== 'SHUTOFF' ||
      (await ports.compute.instances.start(scope, machine.id).then(
        () => true,
        (error: unknown) => {
          reason ??= error
          return false
        },
      ))
    if (isStarted) waiting.push(machine)
  }
  if (waiting.length > 0 && waited <= LONGEST_MS) return { again: LOOK_AGAIN_MS }
  const failed = { count: left.length, names: namesOf(left) }
  throw problem('infrastructure.maintenance_not_started', failed, { cause: reason })
}

/**
 * Whether a virtual machine has not been started again yet. If it is stopped in another way than by a shutdown, someone
 * else has put it aside.
 */
const isNotBack = (machine: Instance): boolean =>
  instanceInProgress(machine) ||
  machine.status === 'SHUTOFF' ||
  !(instanceIsRunning(machine) || instanceIsStopped(machine))
