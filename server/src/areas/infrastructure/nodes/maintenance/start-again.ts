import { instanceIsErrored, instanceIsRunning, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import type { RunAgain } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../../../tools'
import { changeRecord, recordOf } from '../node-record'

const LOOK_AGAIN_MS = 1_000
const LONGEST_MS = 10 * 60_000

/**
 * Starts the machines that were shut down for the maintenance of a node, and waits until they run. Machines that were
 * deleted or started by someone else are skipped. Throws if a machine does not start. `waited`: milliseconds so far.
 */
export async function startAgain(
  { nodeId, scope, waited }: { nodeId: string; scope: Scope; waited: number },
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
  // those that run again must not be started once more if they are shut down later
  const ids = new Set(left.map(({ id }) => id))
  await inventory.transaction(async (tx) => {
    await tx.lock('node', nodeId)
    const kept = { ...maintenance, stopped: stopped.filter(({ id }) => ids.has(id)) }
    await changeRecord(tx, nodeId, { maintenance: kept })
  })
  const broken = left.find(instanceIsErrored)
  if (broken) throw problem('infrastructure.maintenance_not_started', { name: broken.name })
  if (left.length === 0) return
  if (waited > LONGEST_MS) throw problem('infrastructure.maintenance_not_started', { name: left[0]!.name })
  for (const machine of left)
    if (instanceIsStopped(machine) && machine.task_state === null)
      await ports.compute.instances.start(scope, machine.id)
  return { again: LOOK_AGAIN_MS }
}

const isNotBack = (machine: Instance): boolean => !instanceIsRunning(machine) || machine.task_state !== null
