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
import { copyFile, type CopySource } from './copy-file'
import { changeIn, readVolume, removeVolume, tellProgress } from './jobs'
import { changeVolume } from '../../rows/volumes'

/**
 * Returns the handlers for the copy jobs, keyed by job name. Each job makes the source available again when it ends.
 */
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
      const source = { volume: sourceOf(job) }
      await copyFile(engine, job, { source, target: volume, progress: tellProgress(engine, job) })
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

const uploadJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const source = await readVolume(engine, sourceOf(job))
    if (source) await createImage(engine, job, { volume: source.id }, source.size)
    await letGo(engine, sourceOf(job))
    return { id: imageOf(job) }
  },
  async onFailure(job, error) {
    await failImage(engine, job, error)
    await letGo(engine, sourceOf(job))
  },
})

/** Copies a volume or a snapshot to the image in `job.args`, unless an earlier run has done so. Size in bytes. */
export async function createImage(engine: Engine, job: JobRun, source: CopySource, size: number): Promise<void> {
  const image = await readImage(engine, imageOf(job))
  if (image?.status !== 'saving') return
  const target = { id: image.id, project_id: image.project_id, size }
  const progress = (percent: number) => job.progress(percent)
  await copyFile(engine, job, { source, target, file: engine.files.image(image.id), progress })
  await keepImage(engine, image.id, job.signal)
}

/** Sets the image in `job.args` to the error state, or removes it if the job was cancelled. */
export async function failImage(engine: Engine, job: JobRun, error: unknown): Promise<void> {
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
}

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
