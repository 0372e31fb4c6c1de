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

/** Between two looks at what the guest uses: soon at first, later by how long it takes already. */
const [firstLookMs, lookShare] = [100, 0.1]

/** The second half of the command: marks a row that is locked and may have these, and leaves the rest to a job. */
export async function beginLiveResize(
  tx: RecordsTransaction,
  scope: Scope,
  row: Instance,
  { flavor, traits }: Pick<Instance, 'flavor' | 'traits'>,
): Promise<Instance> {
  if (!fitsLive(row, flavor)) throw liveResizeLimit(row)
  // what an earlier one left undone stays told until this one is done
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

/** Gives the machine more (LIVE_RESIZE), then waits until its guest uses it (VERIFY_LIVE_RESIZE). */
export const liveResizeJob = (engine: Engine): JobHandler => ({
  async run(run) {
    const { machines } = engine.hypervisor
    const { id } = run.subject
    const found = await findInstance(engine, id)
    // deleted or reset meanwhile
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
    // one that was switched off meanwhile gets its flavor when it is started next
    const state = await machines.state(id)
    await isDone(engine, id, state, state === 'crashed' ? {} : { fault: null })
    await reconcile(engine, id)
    return { id }
  },
  onFailure: (run, error) => tellWhatItHas(engine, run, error),
})

const sizeWanted = ({ flavor }: Instance): MachineSize => ({ vcpus: flavor.vcpus, ramMiB: flavor.ram })

const has = (size: MachineSize, wanted: MachineSize) => size.vcpus >= wanted.vcpus && size.ramMiB >= wanted.ramMiB

/** Null when the guest uses what it was given; throws when it has taken too long. */
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
 * After a failure. A machine that got nothing keeps the flavor that it had. One that got a part cannot give it back, so
 * it keeps the new flavor, which it has in full after a restart, and says what it has until then.
 */
async function tellWhatItHas(engine: Engine, { subject: { id }, args }: JobRun, error: unknown): Promise<void> {
  const { machines } = engine.hypervisor
  const state = await machines.state(id)
  const isUp = state === 'running' || state === 'paused'
  // one that does not answer may have got anything
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
  `${guest.vcpus} and ${guest.ramMiB} MiB. It has all of its flavor once it is switched off and on. ${faultText(error)}`
