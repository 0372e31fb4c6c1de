import type { Instance } from '@mainstay/contract/compute/instances'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, JobRun, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { makeFile } from '../../compute/instances/build'
import { changeVolume } from '../../rows/volumes'
import { copyFile } from './copy-file'
import { showInInstance } from './lock'

const tellEveryPercent = 10

/** Returns the handlers for the volume commands, keyed by job name. */
export const volumeJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.volume.create': createJob(engine),
  'compute.volume.delete': deleteJob(engine),
  'compute.volume.extend': extendJob(engine),
})

export const readVolume = ({ records }: Engine, id: string) => records.transaction((tx) => tx.get<Volume>('volume', id))

/** Locks a volume and runs `work` if it still has this status. */
export const changeIn = (
  engine: Engine,
  id: string,
  status: string,
  work: (tx: RecordsTransaction, row: Volume) => Promise<unknown>,
) =>
  engine.records.transaction(async (tx) => {
    const row = await tx.lock<Volume>('volume', id)
    if (row?.status === status) await work(tx, row)
  })

export async function removeVolume(engine: Engine, id: string, status: string): Promise<void> {
  await engine.hypervisor.disks.remove(engine.files.volume(id))
  await changeIn(engine, id, status, async (tx) => {
    await tx.remove('volume', id)
    await tx.removePrivate('volume', id)
  })
}

const createJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const volume = await readVolume(engine, id)
    if (volume?.status !== 'creating') return null
    const { source, snapshot } = job.args as { source?: string; snapshot?: string }
    const progress = tellProgress(engine, job)
    if (source === undefined || snapshot === undefined) await makeFile(engine, volume, job.signal, progress)
    else await copyFile(engine, job, { source: { volume: source, snapshot }, target: volume, progress })
    await changeIn(engine, id, 'creating', (tx, row) => changeVolume(tx, row, { status: 'available', progress: null }))
    return { id }
  },
  async onFailure(job, error) {
    const { id } = job.subject
    if (job.cancelled()) return removeVolume(engine, id, 'creating')
    if ((await readVolume(engine, id))?.status !== 'creating') return
    await engine.hypervisor.disks.remove(engine.files.volume(id))
    await changeIn(engine, id, 'creating', (tx, row) =>
      changeVolume(tx, row, { status: 'error', progress: null, fault: faultText(error) }),
    )
  },
})

/** Reports the progress of a copy to the task and, in larger steps, to the row of the volume. */
export function tellProgress(engine: Engine, job: JobRun): (percent: number) => void {
  let told = 0
  return (percent) => {
    job.progress(percent)
    if (percent - told < tellEveryPercent || percent >= 100) return
    told = percent
    changeIn(engine, job.subject.id, 'creating', (tx, row) =>
      changeVolume(tx, row, { progress: Math.round(percent) }),
    ).catch((error: unknown) => engine.log.warn({ error, volume: job.subject.id }, 'failed to save volume progress'))
  }
}

const deleteJob = (engine: Engine): JobHandler => ({
  async run(job) {
    await removeVolume(engine, job.subject.id, 'deleting')
    return null
  },
  onFailure: (job, error) =>
    changeIn(engine, job.subject.id, 'deleting', (tx, row) =>
      changeVolume(tx, row, { status: 'error_deleting', fault: faultText(error) }),
    ),
})

const extendJob = (engine: Engine): JobHandler => ({
  async run(job) {
    const { machines, disks } = engine.hypervisor
    const id = job.args['volume'] as string
    const size = job.args['size'] as number
    const volume = await readVolume(engine, id)
    if (volume?.status !== 'extending') return null
    const serverId = volume.attachments[0]?.server_id
    const state = serverId === undefined ? 'off' : await machines.state(serverId)
    if (serverId !== undefined && (state === 'running' || state === 'paused'))
      await machines.growDisk(serverId, id, size)
    else await disks.grow(engine.files.volume(id), size)
    await finish(engine, id, { size, fault: null })
    return { id }
  },
  onFailure: (job, error) =>
    finish(engine, job.args['volume'] as string, { size: job.args['before'] as number, fault: faultText(error) }),
})

async function finish(engine: Engine, id: string, after: Pick<Volume, 'size' | 'fault'>): Promise<void> {
  await engine.records.transaction(async (tx) => {
    const seen = await tx.get<Volume>('volume', id)
    const serverId = seen?.attachments[0]?.server_id
    const instance = serverId === undefined ? null : await tx.lock<Instance>('server', serverId)
    const row = await tx.lock<Volume>('volume', id)
    if (row?.status !== 'extending') return
    const isAttached = row.attachments.length > 0
    const changed = await changeVolume(tx, row, { ...after, status: isAttached ? 'in-use' : 'available' })
    const shown = instance?.volumes.find((it) => it.id === id)
    if (instance && shown?.size !== changed.size) await showInInstance(tx, instance, changed)
  })
}
