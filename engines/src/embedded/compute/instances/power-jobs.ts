import { isRunAgain, type JobHandler, type JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'
import { getPlan, putPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance } from './rows'
import { changeBusy, isDone, pollForPowerOff, machineJob, startMachine, type Found } from './machine-jobs'
import { leaveRescue } from './rescue-disk'

/** Returns the handlers for the power commands, keyed by job name. */
export const powerJobs = (engine: Engine): Record<string, JobHandler> => {
  const { machines } = engine.hypervisor
  const job = (work: (job: JobRun, found: Found) => Promise<unknown>) => machineJob(engine, work)

  return {
    'compute.server.start': job(async ({ subject: { id } }, found) => {
      await startMachine(engine, found)
      await isDone(engine, id, 'running')
    }),
    'compute.server.stop': job((run, found) => stop(engine, run, found)),
    'compute.server.reboot': job((run, found) => reboot(engine, run, found)),
    'compute.server.suspend': job(async ({ subject: { id } }) => {
      if ((await machines.state(id)) !== 'saved') await machines.suspend(id)
      await isDone(engine, id, 'saved')
    }),
    'compute.server.resume': job(async ({ subject: { id } }, found) => {
      await startMachine(engine, found)
      await isDone(engine, id, 'running')
    }),
    'compute.server.pause': job(async ({ subject: { id } }) => {
      if ((await machines.state(id)) !== 'paused') await machines.pause(id)
      await isDone(engine, id, 'paused')
    }),
    'compute.server.unpause': job(async ({ subject: { id } }) => {
      if ((await machines.state(id)) !== 'running') await machines.unpause(id)
      await isDone(engine, id, 'running')
    }),
  }
}

/**
 * Presses the power button and waits, then cuts the power after the timeout. Returns early if another stop request has
 * taken over.
 */
async function stop(engine: Engine, run: JobRun, { plan: { rescue, stopping } }: Found) {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  const { hard, token, timeout } = run.args as { hard: boolean; token: string; timeout?: number }
  if (stopping?.token !== token) return null
  if (!hard) {
    const obeyed = await pollForPowerOff(engine, run, timeout === undefined || timeout < 0 ? null : timeout * 1000)
    if (isRunAgain(obeyed)) return obeyed
  }
  await machines.cut(id)
  if (rescue) await leaveRescue(engine, id)
  await changeBusy(engine, id, async (tx, row) => {
    const plan = await getPlan(tx, id)
    if (plan.stopping?.token !== token) return
    await putPlan(tx, id, { ...plan, stopping: null })
    await changeInstance(tx, row, fieldsFromMachine(row, plan, 'off'))
  })
  return null
}

/**
 * Resets the machine. If the guest does not use its whole flavor after a live resize, cuts the power instead, because a
 * reset would not apply the new size.
 */
async function resetOrCut({ hypervisor: { machines } }: Engine, { row: { id, flavor } }: Found): Promise<void> {
  const size = (await machines.state(id)) === 'running' ? await machines.size(id) : null
  const usesIt = size !== null && size.guest.vcpus >= flavor.vcpus && size.guest.ramMiB >= flavor.ram
  await (usesIt ? machines.reset(id) : machines.cut(id))
}

/**
 * Soft reboot: shuts down the guest and starts it again, or resets it after a timeout. Hard reboot: resets it
 * immediately.
 */
async function reboot(engine: Engine, run: JobRun, found: Found) {
  const { id } = run.subject
  const obeyed = run.args['hard'] ? 'late' : await pollForPowerOff(engine, run, engine.limits.softRebootMs)
  if (isRunAgain(obeyed)) return obeyed
  if (obeyed === 'late') await resetOrCut(engine, found)
  await startMachine(engine, found)
  await isDone(engine, id, 'running')
  return null
}
