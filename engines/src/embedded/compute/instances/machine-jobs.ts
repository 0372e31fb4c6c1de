import type { InstanceTaskState } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import {
  isRunAgain,
  type JobHandler,
  type JobRun,
  type RecordsTransaction,
  type RunAgain,
} from '../../../ports/records'
import type { Engine } from '../../engine'
import type { MachineState } from '../../hypervisor'
import { writeSeed } from './cloud-seed'
import { getPlan, pluggedSpec, putPlan, type InstancePlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance, faultOf, reconcile, stopWhenAsked } from './rows'
import { withHeadroom } from './resize-headroom'
import { leaveRescue } from './rescue-disk'

/**
 * Polling interval for a guest that is shutting down: `firstLookMs` at first, later a fraction (`lookShare`) of the
 * elapsed time, at most `lastLookMs`.
 */
const [firstLookMs, lastLookMs, lookShare] = [150, 2000, 0.2]

export interface Found {
  row: Instance
  plan: InstancePlan
}

/**
 * Returns a job that works on the machine of a busy instance. `work` may return `RunAgain` to wait and be called again
 * later. After a failure, the row is updated to the actual state of the machine.
 */
export const machineJob = (engine: Engine, work: (job: JobRun, found: Found) => Promise<unknown>): JobHandler => ({
  async run(run) {
    const found = await findInstance(engine, run.subject.id)
    // the instance was deleted, or its state was reset
    if (!found || found.row.task_state === null) return null
    const outcome = await work(run, found)
    if (isRunAgain(outcome)) return outcome
    await reconcile(engine, run.subject.id)
    return { id: run.subject.id }
  },
  onFailure: (run, error) => reconcileFailed(engine, run.subject.id, error),
})

export const findInstance = (engine: Engine, id: string): Promise<Found | null> =>
  engine.records.transaction(async (tx) => {
    const row = await tx.get<Instance>('server', id)
    return row ? { row, plan: await getPlan(tx, id) } : null
  })

/** Starts the machine from its own disks. This ends a rescue. */
export async function startMachine(engine: Engine, { row, plan }: Found): Promise<void> {
  if (plan.rescue) await leaveRescue(engine, row.id)
  await writeSeed(engine, row, plan)
  await engine.hypervisor.machines.start(await pluggedSpec(engine, await withHeadroom(engine, row), plan))
}

/** Changes the row if the instance is still busy. Does nothing if its state has been reset. */
export const changeBusy = (
  engine: Engine,
  id: string,
  work: (tx: RecordsTransaction, row: Instance) => Promise<unknown>,
) =>
  engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (row && row.task_state !== null) await work(tx, row)
  })

/** Completes the action: writes the state of the machine to the row. */
export const isDone = (engine: Engine, id: string, state: MachineState, more: Partial<Instance> = {}) =>
  changeBusy(engine, id, async (tx, row) =>
    changeInstance(tx, row, { ...fieldsFromMachine(row, await getPlan(tx, id), state), ...more }),
  )

const isUp = (state: MachineState) => state === 'running' || state === 'paused'

/**
 * Polls a guest that is shutting down, pressing its power button every `pressAgainMs`. Returns `late` once `patienceMs`
 * has elapsed since the first poll (null: no limit). Otherwise, the job waits and polls again.
 */
export async function pollForPowerOff(
  engine: Engine,
  run: JobRun,
  patienceMs: number | null,
): Promise<'off' | 'late' | RunAgain> {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  if (!isUp(await machines.state(id))) return 'off'
  stopWhenAsked(run)
  const { pressedAt } = run.state as { pressedAt?: number }
  const elapsed = run.time - run.since
  if (patienceMs !== null && elapsed >= patienceMs) return 'late'
  const isToPress = pressedAt === undefined || run.time - pressedAt >= engine.limits.pressAgainMs
  // the guest may shut down before the button is pressed
  if (isToPress) await machines.pressPower(id).catch(() => undefined)
  const again = Math.min(Math.max(firstLookMs, elapsed * lookShare), lastLookMs, (patienceMs ?? Infinity) - elapsed)
  return { again, state: { pressedAt: isToPress ? run.time : pressedAt } }
}

/**
 * Powers off a machine in any state. A running guest gets the chance to shut down first, and the job waits for it.
 * Saved memory is discarded. Returns null once the machine is off.
 */
export async function switchOff(engine: Engine, run: JobRun): Promise<RunAgain | null> {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  // a paused guest does not react to the power button
  if ((await machines.state(id)) === 'running') {
    const outcome = await pollForPowerOff(engine, run, engine.limits.softRebootMs)
    if (isRunAgain(outcome)) return outcome
  }
  await machines.cut(id)
  return null
}

/** Task states in which it is not an error for the machine to be off. */
const endsOff: readonly (InstanceTaskState | null)[] = ['powering-off', 'shelving', 'unshelving']

/** Updates the row after a failure: to the state of the machine, or to ERROR if it should be running but is not. */
async function reconcileFailed(engine: Engine, id: string, error: unknown): Promise<void> {
  const state = await engine.hypervisor.machines.state(id)
  await changeBusy(engine, id, async (tx, row) => {
    const plan = await getPlan(tx, id)
    if (plan.stopping) await putPlan(tx, id, { ...plan, stopping: null })
    const isDown = state === 'off' || state === 'crashed'
    const isWrong = isDown && !endsOff.includes(row.task_state)
    const rest = fieldsFromMachine(row, plan, state)
    await changeInstance(tx, row, {
      ...rest,
      ...(isWrong ? { status: 'ERROR' } : {}),
      // if unshelving failed, the instance stays shelved but shows the reason
      ...(isWrong || rest.status === 'SHELVED_OFFLOADED' ? { fault: faultOf(error) } : {}),
    })
  })
}
