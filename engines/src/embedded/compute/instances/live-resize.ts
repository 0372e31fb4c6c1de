import type { Instance } from '@mainstay/contract/compute/instances'
import { fitsLive, liveResizeLimit } from '@mainstay/contract/compute/live-resize-rules'
import { problem } from '@mainstay/contract/core/problems'
import type { JobHandler, JobRun, RecordsTransaction, RunAgain } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { MEMORY_STEP_MIB, type GrownSize, type MachineSize } from '../../hypervisor'
import { getPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance, INCOMPLETE, now, reconcile, stopWhenAsked, subjectOf } from './rows'
import { changeBusy, findInstance, isDone } from './machine-jobs'

/**
 * Interval at which to check whether the guest uses its new size: `firstLookMs` at first, later a fraction
 * (`lookShare`) of the elapsed time.
 */
const [firstLookMs, lookShare] = [100, 0.1]

/**
 * Runs the second half of the resize command: marks the row and starts the job. `row` must be locked, and quota,
 * capacity and placements must have been checked.
 */
export async function beginLiveResize(
  tx: RecordsTransaction,
  scope: Scope,
  row: Instance,
  { flavor, traits }: Pick<Instance, 'flavor' | 'traits'>,
): Promise<Instance> {
  if (!fitsLive(row, flavor)) throw liveResizeLimit(row)
  // keep the fault of an earlier incomplete resize until this one is done
  const changed = await changeInstance(tx, row, { status: 'LIVE_RESIZE', task_state: 'resize_finish', flavor, traits })
  await tx.startJob({
    name: 'compute.server.live_resize',
    subject: subjectOf(row),
    args: { flavor: flavor.original_name, before: { flavor: row.flavor, traits: row.traits } },
    scope,
    cancellable: false,
  })
  return changed
}

/** Grows the machine (LIVE_RESIZE), then waits until the guest uses the new size (VERIFY_LIVE_RESIZE). */
export const liveResizeJob = (engine: Engine): JobHandler => ({
  async run(run) {
    const { machines } = engine.hypervisor
    const { id } = run.subject
    const found = await findInstance(engine, id)
    // the instance was deleted, or its state was reset
    if (!found || found.row.task_state === null) return null
    const wanted = sizeWanted(found.row)
    if ((await machines.state(id)) === 'running') {
      if (found.row.status === 'LIVE_RESIZE') {
        await machines.grow(id, wanted)
        await changeBusy(engine, id, (tx, row) => changeInstance(tx, row, { status: 'VERIFY_LIVE_RESIZE' }))
      }
      const wait = await lookAtGuest(engine, run, wanted)
      if (wait) return wait
    }
    // if the machine was switched off, it gets the new flavor at its next start
    const state = await machines.state(id)
    await isDone(engine, id, state, state === 'crashed' ? {} : { fault: null })
    await reconcile(engine, id)
    return { id }
  },
  onFailure: (run, error) => tellWhatItHas(engine, run, error),
})

const sizeWanted = ({ flavor }: Instance): MachineSize => ({ vcpus: flavor.vcpus, ramMiB: flavor.ram })

const has = (size: MachineSize, wanted: MachineSize) => size.vcpus >= wanted.vcpus && size.ramMiB >= wanted.ramMiB

/** Returns null once the guest uses its new size. Throws if it takes too long. */
async function lookAtGuest(engine: Engine, run: JobRun, wanted: MachineSize): Promise<RunAgain | null> {
  const size = await engine.hypervisor.machines.size(run.subject.id)
  if (!size || has(size.guest, wanted)) return null
  stopWhenAsked(run)
  const elapsed = run.time - run.since
  const left = engine.limits.guestTakesMs - elapsed
  if (left <= 0) {
    throw problem('compute.guest_ignores_resize')
  }
  return { again: Math.min(Math.max(firstLookMs, elapsed * lookShare), left) }
}

/**
 * Updates the row after a failure. A machine that was not resized keeps its old flavor. A partly resized machine cannot
 * shrink again, so it keeps the new flavor, which takes full effect after a restart. Until then, its fault shows the
 * actual size.
 */
async function tellWhatItHas(engine: Engine, { subject: { id }, args }: JobRun, error: unknown): Promise<void> {
  const { machines } = engine.hypervisor
  const state = await machines.state(id)
  const isUp = state === 'running' || state === 'paused'
  // unknown if the machine does not respond: it may have been partly resized
  const size = isUp ? await machines.size(id).catch(() => null) : null
  const before = args['before'] as Pick<Instance, 'flavor' | 'traits'>
  await changeBusy(engine, id, async (tx, row) => {
    const told = fieldsFromMachine(row, await getPlan(tx, id), state)
    if (!isUp) return changeInstance(tx, row, told)
    const gotMore = !size || size.vcpus > before.flavor.vcpus || size.ramMiB >= before.flavor.ram + MEMORY_STEP_MIB
    return changeInstance(tx, row, {
      ...told,
      ...(gotMore
        ? { fault: { code: INCOMPLETE, message: size ? partOf(size, error) : faultText(error), created: now() } }
        : { ...before, fault: row.fault }),
    })
  })
}

const partOf = ({ vcpus, ramMiB, guest }: GrownSize, error: unknown) =>
  `The virtual machine was given ${vcpus} vCPUs and ${ramMiB} MiB of memory, of which its system uses ` +
  `${guest.vcpus} and ${guest.ramMiB} MiB. It gets all resources of its flavor after it is shut down and started. ` +
  faultText(error)
