import { existsSync } from 'node:fs'
import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { digestFields, type ImagePlan } from '../../compute/images/rows'
import { getPlan } from '../../rows/instance-plan'
import { fieldsFromMachine, changeInstance } from '../../compute/instances/rows'
import { checkQuotas } from '../../quotas'
import { busyWhile, COPYING } from './copies'
import { changeIn, readVolume, removeVolume, tellProgress } from './jobs'
import { changeVolume } from '../../rows/volumes'

/** Handlers for the copy jobs, keyed by job name. Each job makes the source available again when it ends. */
export const copyJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.volume.clone': cloneJob(engine),
  'compute.volume.upload_to_image': uploadJob(engine),
})

const sourceOf = ({ args }: Pick<JobRun, 'args'>) => args['source'] as string

const imageOf = ({ args }: Pick<JobRun, 'args'>) => args['image'] as string
const readImage = ({ records }: Engine, id: string) => records.transaction((tx) => tx.get<Image>('image', id))

const cloneJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const volume = await readVolume(engine, id)
    if (volume?.status === 'creating') {
      await copyFile(engine, job, engine.files.volume(id), volume, tellProgress(engine, job))
      await changeIn(engine, id, 'creating', (tx, row) =>
        changeVolume(tx, row, { status: 'available', progress: null }),
      )
    }
    await letGo(engine, sourceOf(job))
    return { id }
  },
  async onFailure(job, error) {
    const { id } = job.subject
    if (job.cancelled()) await removeVolume(engine, id, 'creating')
    else if ((await readVolume(engine, id))?.status === 'creating') {
      await engine.hypervisor.disks.remove(engine.files.volume(id))
      const failed = { status: 'error', progress: null, fault: faultText(error) }
      await changeIn(engine, id, 'creating', (tx, row) => changeVolume(tx, row, failed))
    }
    await letGo(engine, sourceOf(job))
  },
})

/**
 * Copies the file of the source, unless an earlier run has done so. An existing file is complete, because it gets its
 * final name only once it is written.
 */
async function copyFile(
  { hypervisor, files, withPermit }: Engine,
  job: JobRun,
  target: string,
  { project_id, size }: { project_id: string; size: number },
  onProgress: (percent: number) => void,
): Promise<void> {
  if (existsSync(target)) return
  const source = files.volume(sourceOf(job))
  await withPermit(project_id, () => hypervisor.disks.createFrom(target, source, size, onProgress, job.signal))
}

const uploadJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const id = imageOf(job)
    const image = await readImage(engine, id)
    const source = await readVolume(engine, sourceOf(job))
    if (source && image?.status === 'saving') {
      await copyFile(engine, job, engine.files.image(id), source, (percent) => job.progress(percent))
      await keepImage(engine, id, job.signal)
    }
    await letGo(engine, sourceOf(job))
    return { id }
  },
  async onFailure(job, error) {
    const id = imageOf(job)
    const isCancelled = job.cancelled()
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Image>('image', id)
      if (row?.status !== 'saving') return
      if (isCancelled) return tx.remove('image', id)
      const updated_at = new Date().toISOString()
      await tx.put('image', {
        ...row,
        status: 'error',
        progress: null,
        size: null,
        fault: faultText(error),
        updated_at,
      })
    })
    const row = await readImage(engine, id)
    if (row?.status !== 'active') await engine.hypervisor.disks.remove(engine.files.image(id))
    await letGo(engine, sourceOf(job))
  },
})

/**
 * Activates the image with the size and digests of the copied file. Throws `quota_exceeded` if the image is larger than
 * the remaining quota.
 */
async function keepImage(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  const { format, virtualBytes, usedBytes, converted } = await engine.hypervisor.disks.keptImage(
    engine.files.image(id),
    signal,
  )
  const size = converted?.sizeBytes ?? usedBytes
  await engine.records.transaction(async (tx) => {
    const row = await tx.lock<Image>('image', id)
    if (row?.status !== 'saving') return
    await checkQuotas(engine, tx, row, { image_storage: { amount: size } })
    await tx.put('image', {
      ...row,
      ...{ status: 'active', progress: null, fault: null, size, virtual_size: virtualBytes, disk_format: format },
      ...(converted && digestFields(converted.md5, converted.sha256)),
      // a volume created from the image must hold its whole virtual disk
      min_disk: Math.ceil(virtualBytes / GiB),
      updated_at: new Date().toISOString(),
    })
    const plan: ImagePlan = { stored: format === 'qcow2' ? 'qcow2' : 'raw' }
    await tx.putPrivate('image', id, plan)
  })
}

/** Makes the volume, or the instance that it is attached to, available again. */
async function letGo(engine: Engine, id: string): Promise<void> {
  await engine.records.transaction(async (tx) => {
    const seen = await tx.get<Volume>('volume', id)
    const serverId = seen?.attachments[0]?.server_id
    const instance = serverId === undefined ? null : await tx.lock<Instance>('server', serverId)
    const volume = await tx.lock<Volume>('volume', id)
    const isBusy = (Object.values(busyWhile) as string[]).includes(volume?.status ?? '')
    if (volume && isBusy) await changeVolume(tx, volume, { status: 'available' })
    if (instance?.task_state !== COPYING) return
    const state = await engine.hypervisor.machines.state(instance.id)
    await changeInstance(tx, instance, fieldsFromMachine(instance, await getPlan(tx, instance.id), state))
  })
}
