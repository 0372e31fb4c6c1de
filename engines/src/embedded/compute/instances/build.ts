import { existsSync } from 'node:fs'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, JobRun, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { writeSeed } from './cloud-seed'
import { getPlan, pluggedSpec, type InstancePlan } from '../../rows/instance-plan'
import { changeInstance, faultOf, reconcile, stopWhenAsked } from './rows'
import { releaseInstance } from './release-resources'
import { attachedTo, changeVolume, detached } from '../../rows/volumes'

/**
 * Creates everything that a new instance requires, and starts it. Each step first checks whether it has already been
 * done.
 */
export const buildInstance = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const volumes = await beginStep(engine, id, 'block_device_mapping')
    if (!volumes) return null
    for (const [at, volume] of volumes.entries()) {
      stopWhenAsked(job)
      await makeVolumeFile(engine, job, volume, { at, of: volumes.length })
    }
    const begun = await beginStep(engine, id, 'spawning')
    if (!begun) return null
    const { row, plan } = await read(engine, id)
    stopWhenAsked(job)
    await writeSeed(engine, row, plan)
    await engine.hypervisor.machines.start(await pluggedSpec(engine, row, plan))
    // the task may have been cancelled while the machine was starting
    stopWhenAsked(job)
    await finish(engine, id, plan)
    await reconcile(engine, id)
    return { id }
  },
  async onFailure(job, error) {
    if (job.cancelled()) await releaseInstance(engine, job.subject.id, 'all')
    else await failCreation(engine, job.subject.id, error)
  },
})

/** Sets the task state. Returns the volumes still to be created, or null if the instance is no longer being built. */
async function beginStep(engine: Engine, id: string, step: 'block_device_mapping' | 'spawning') {
  return engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (!row || row.status !== 'BUILD') return null
    await changeInstance(tx, row, { task_state: step })
    const volumes = await volumesOf(tx, row)
    return volumes.filter(({ status }) => status === 'creating')
  })
}

async function volumesOf(tx: RecordsTransaction, row: Instance): Promise<Volume[]> {
  const volumes: Volume[] = []
  for (const { id } of row.volumes) {
    const volume = await tx.lock<Volume>('volume', id)
    if (volume) volumes.push(volume)
  }
  return volumes
}

const read = (engine: Engine, id: string) =>
  engine.records.transaction(async (tx) => {
    const row = await tx.get<Instance>('server', id)
    if (!row) throw new Error(`instance ${id} is gone while it is built`)
    return { row, plan: await getPlan(tx, id) }
  })

async function makeVolumeFile(
  engine: Engine,
  job: JobRun,
  volume: Volume,
  { at, of }: { at: number; of: number },
): Promise<void> {
  await makeFile(engine, volume, job.signal, (percent) => job.progress(((at + percent / 100) / of) * 80))
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', job.subject.id)
    const fresh = await tx.lock<Volume>('volume', volume.id)
    if (row && fresh?.status === 'creating') await changeVolume(tx, fresh, attachedTo(fresh, row))
  })
}

/**
 * Creates the file of a volume. An existing file is complete, because it gets its final name only once it is written.
 */
export async function makeFile(
  { hypervisor: { disks }, files, withPermit }: Engine,
  volume: Volume,
  signal: AbortSignal,
  onProgress: (percent: number) => void,
): Promise<void> {
  const path = files.volume(volume.id)
  if (existsSync(path)) return
  if (volume.image_id === null) await disks.createBlank(path, volume.size)
  else {
    const source = files.image(volume.image_id)
    await withPermit(volume.project_id, () => disks.createFrom(path, source, volume.size, onProgress, signal))
  }
}

async function finish(engine: Engine, id: string, { disks }: InstancePlan): Promise<void> {
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Instance>('server', id)
    if (!row || row.status !== 'BUILD') return
    const changed = await changeInstance(tx, row, { status: 'ACTIVE', task_state: null, fault: null })
    for (const { id: diskId, kind } of disks) {
      const volume = kind === 'volume' ? await tx.lock<Volume>('volume', diskId) : null
      if (volume?.status === 'attaching') await changeVolume(tx, volume, attachedTo(volume, changed))
    }
  })
}

/**
 * Sets the instance to ERROR with the reason, removes partially created resources, and makes existing volumes available
 * again.
 */
export async function failCreation(engine: Engine, id: string, error: unknown): Promise<void> {
  const { machines, disks } = engine.hypervisor
  const row = await engine.records.transaction((tx) => tx.get<Instance>('server', id))
  if (!row || row.status !== 'BUILD') return
  await machines.forget(id)
  await disks.remove(engine.files.seed(id))
  const unmade = await engine.records.transaction(async (tx) => {
    const volumes = await volumesOf(tx, row)
    return volumes.filter(({ status }) => status === 'creating')
  })
  for (const { id: volumeId } of unmade) await disks.remove(engine.files.volume(volumeId))
  await engine.records.transaction(async (tx) => {
    const fresh = await tx.lock<Instance>('server', id)
    if (!fresh || fresh.status !== 'BUILD') return
    const freed = new Set<string>()
    for (const volume of await volumesOf(tx, fresh)) {
      if (volume.status === 'creating') {
        await changeVolume(tx, volume, { status: 'error', progress: null, fault: faultText(error) })
      } else if (volume.status === 'attaching') {
        await changeVolume(tx, volume, detached)
        freed.add(volume.id)
      }
    }
    const plan = await getPlan(tx, id)
    await tx.putPrivate('server', id, { ...plan, disks: plan.disks.filter((disk) => !freed.has(disk.id)) })
    await changeInstance(tx, fresh, {
      status: 'ERROR',
      task_state: null,
      fault: faultOf(error),
      volumes: fresh.volumes.filter((volume) => !freed.has(volume.id)),
    })
  })
}
