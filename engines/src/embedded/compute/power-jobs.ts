import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { JobHandler, JobRun, RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import type { MachineState } from '../hypervisor'
import { cloudSeed } from './cloud-seed'
import { getPlan, machineSpec, putPlan, type InstancePlan } from './instance-plan'
import { asTheMachineIs, changeInstance, faultOf, settle, stopWhenAsked } from './instance-rows'

const lookEveryMs = 150
const askRecordsEveryMs = 1000
/** A guest that is still starting does not hear the power button the first time. */
const pressEveryMs = 10_000

interface Found {
  row: Instance
  plan: InstancePlan
}

/** Handlers of the power commands, by the names of their jobs. */
export const powerJobs = (engine: Engine): Record<string, JobHandler> => {
  const { machines } = engine.hypervisor
  const job = (work: (job: JobRun, found: Found) => Promise<unknown>): JobHandler => ({
    async run(run) {
      const found = await read(engine, run.subject.id)
      // deleted or reset meanwhile
      if (!found || found.row.task_state === null) return null
      await work(run, found)
      await settle(engine, run.subject.id)
      return { id: run.subject.id }
    },
    onFailure: (run, error) => takeStock(engine, run.subject.id, error),
  })

  return {
    'compute.server.start': job(async ({ subject: { id } }, found) => {
      await startMachine(engine, found)
      await isDone(engine, id, 'running')
    }),
    'compute.server.stop': job((run) => stop(engine, run)),
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

const read = (engine: Engine, id: string): Promise<Found | null> =>
  engine.records.transaction(async (tx) => {
    const row = await tx.get<Instance>('server', id)
    return row ? { row, plan: await getPlan(tx, id) } : null
  })

async function startMachine(engine: Engine, { row, plan }: Found): Promise<void> {
  await engine.hypervisor.disks.writeSeed(engine.files.seed(row.id), cloudSeed(row, plan))
  await engine.hypervisor.machines.start(machineSpec(engine, row, plan))
}

const change = (engine: Engine, id: string, work: (tx: RecordsTransaction, row: Instance) => Promise<unknown>) =>
  engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (row && row.task_state !== null) await work(tx, row)
  })

const isDone = (engine: Engine, id: string, state: MachineState) =>
  change(engine, id, (tx, row) => changeInstance(tx, row, asTheMachineIs(state)))

/** Presses the power button and waits; when the time is over, cuts the power. Leaves when it was overtaken. */
async function stop(engine: Engine, run: JobRun): Promise<void> {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  const token = run.args['token']
  const isMine = async () => {
    const found = await read(engine, id)
    const stopping = found?.plan.stopping ?? null
    return stopping?.token === token ? stopping : null
  }
  const mine = await isMine()
  if (!mine) return
  if (!run.args['hard']) {
    const obeyed = await waitForOff(engine, run, mine.deadline, async () => (await isMine()) !== null)
    if (obeyed === 'overtaken') return
  }
  await machines.cut(id)
  await change(engine, id, async (tx, row) => {
    const plan = await getPlan(tx, id)
    if (plan.stopping?.token !== token) return
    await putPlan(tx, id, { ...plan, stopping: null })
    await changeInstance(tx, row, asTheMachineIs('off'))
  })
}

const isUp = (state: MachineState) => state === 'running' || state === 'paused'

async function waitForOff(
  engine: Engine,
  run: JobRun,
  deadline: number | null,
  stillWanted: () => Promise<boolean>,
): Promise<'off' | 'late' | 'overtaken'> {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  let askAt = 0
  let pressAt = 0
  while (isUp(await machines.state(id))) {
    stopWhenAsked(run)
    const time = Date.now()
    if (deadline !== null && time >= deadline) return 'late'
    if (time >= askAt) {
      if (!(await stillWanted())) return 'overtaken'
      askAt = time + askRecordsEveryMs
    }
    if (time >= pressAt) {
      // it may go off between the look and the press
      await machines.pressPower(id).catch(() => undefined)
      pressAt = time + pressEveryMs
    }
    await pause(lookEveryMs)
  }
  return 'off'
}

/** Soft: off by the power button and on again, or reset when the guest does not obey. Hard: the reset button. */
async function reboot(engine: Engine, run: JobRun, found: Found): Promise<void> {
  const { machines } = engine.hypervisor
  const { id } = run.subject
  if (run.args['hard']) {
    if ((await machines.state(id)) === 'running') await machines.reset(id)
    else await machines.cut(id)
  } else {
    const obeyed = await waitForOff(engine, run, Date.now() + engine.limits.softRebootMs, async () => true)
    if (obeyed === 'late') await machines.reset(id)
  }
  await startMachine(engine, found)
  await isDone(engine, id, 'running')
}

/** After a failure the row says what the machine is; one that should run and does not is in error. */
async function takeStock(engine: Engine, id: string, error: unknown): Promise<void> {
  const state = await engine.hypervisor.machines.state(id)
  await change(engine, id, async (tx, row) => {
    const plan = await getPlan(tx, id)
    if (plan.stopping) await putPlan(tx, id, { ...plan, stopping: null })
    const isDown = state === 'off' || state === 'crashed'
    const shouldBeUp = row.task_state !== 'powering-off'
    await changeInstance(tx, row, {
      ...asTheMachineIs(state),
      ...(isDown && shouldBeUp ? { status: 'ERROR', fault: faultOf(error) } : {}),
    })
  })
}
