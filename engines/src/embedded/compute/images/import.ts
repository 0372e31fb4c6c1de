import { existsSync } from 'node:fs'
import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { problem } from '@mainstay/contract/core/problems'
import { OutputTooLarge } from '../../../image-files/worker-launcher'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import type { AcceptedImage } from '../../hypervisor'
import { digestFields, type ImagePlan } from './rows'
import { checkQuotas, leftOf } from '../../quotas'

/**
 * Tracks uploads that are waiting for the result of their check, in order to return a rejection to the caller, and
 * running checks, in order to cancel them.
 */
export interface Imports {
  expect(id: string): Promise<void>
  forget(id: string): void
  end(id: string, error: unknown): void
  /** Returns a signal that aborts when the image is deleted. */
  signal(id: string): AbortSignal
  /** Cancels the check or conversion of a deleted image. */
  cancel(id: string): void
}

export const deletedMeanwhile = () => problem('compute.image_deleted')

export function openImports(): Imports {
  const waiting = new Map<string, { resolve(): void; reject(error: unknown): void }>()
  const running = new Map<string, AbortController>()
  const end = (id: string, error: unknown) => {
    const one = waiting.get(id)
    waiting.delete(id)
    running.delete(id)
    if (error === null) one?.resolve()
    else one?.reject(error)
  }
  return {
    expect: (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject })),
    forget: (id) => void waiting.delete(id),
    end,
    signal(id) {
      const controller = running.get(id) ?? new AbortController()
      running.set(id, controller)
      return controller.signal
    },
    cancel(id) {
      running.get(id)?.abort(deletedMeanwhile())
      end(id, deletedMeanwhile())
    },
  }
}

/** Checks an upload, converts it if necessary, and activates the image. */
export const importJob = (engine: Engine, imports: Imports): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const image = await engine.records.transaction((tx) => tx.get<Image>('image', id))
    if (image?.status !== 'importing') return image && { id }
    const deleted = imports.signal(id)
    const signal = AbortSignal.any([job.signal, deleted])
    try {
      const facts = await engine.withPermit(image.project_id, () =>
        accept(engine, image, signal, (percent) => job.progress(percent)),
      )
      const isKept = await engine.records.transaction((tx) => keep(engine, tx, id, facts))
      if (!isKept) await removeImageFiles(engine, id)
    } catch (error) {
      if (!deleted.aborted) throw error
      await removeImageFiles(engine, id)
      return null
    }
    imports.end(id, null)
    return { id }
  },
  async onFailure(job, error) {
    const { id } = job.subject
    await removeImageFiles(engine, id)
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Image>('image', id)
      if (row?.status !== 'importing') return
      const fault = faultText(error)
      const updated_at = new Date().toISOString()
      await tx.put('image', { ...row, status: 'error', progress: null, size: null, fault, updated_at })
    })
    imports.end(id, error)
  },
})

export async function removeImageFiles({ hypervisor: { disks }, files }: Engine, id: string): Promise<void> {
  await disks.remove(files.upload(id))
  await disks.remove(files.image(id))
}

async function accept(
  engine: Engine,
  image: Image,
  signal: AbortSignal,
  onProgress: (percent: number) => void,
): Promise<AcceptedImage> {
  const { disks } = engine.hypervisor
  const upload = engine.files.upload(image.id)
  const target = engine.files.image(image.id)
  const { imageVirtualBytes, diskReserveBytes } = engine.limits
  // The last step consumes the upload, so an image file without an upload means that an earlier run accepted it.
  if (!existsSync(upload) && existsSync(target)) return acceptedEarlier(engine, image)
  const { limit, left } = await engine.records.transaction((tx) =>
    leftOf(engine, tx, image.project_id, 'image_storage'),
  )
  const maxBytes = Math.min(left + (image.size ?? 0), imageVirtualBytes * 2)
  try {
    return await disks.acceptImage({
      ...{ upload, target, declared: image.disk_format, maxVirtualBytes: imageVirtualBytes, maxBytes },
      ...{ reserveBytes: diskReserveBytes, onProgress, signal },
    })
  } catch (error) {
    if (!(error instanceof OutputTooLarge)) throw error
    throw problem('compute.image_over_quota', {}, { data: { resource: 'image_storage', limit, requested: maxBytes } })
  }
}

/** Inspects the stored file again, because an earlier run was interrupted after its last step. */
async function acceptedEarlier({ hypervisor: { disks }, files }: Engine, image: Image): Promise<AcceptedImage> {
  const kept = await disks.keptImage(files.image(image.id))
  return kept.format === 'iso' && image.disk_format === 'raw' ? { ...kept, format: 'raw' } : kept
}

/** Returns false if the image has been deleted. */
async function keep(engine: Engine, tx: RecordsTransaction, id: string, accepted: AcceptedImage): Promise<boolean> {
  const row = await tx.lock<Image>('image', id)
  if (row?.status !== 'importing') return row !== null
  const { converted } = accepted
  if (converted) {
    const amount = converted.sizeBytes - (row.size ?? 0)
    await checkQuotas(engine, tx, row, { image_storage: { amount } })
  }
  await tx.put('image', acceptedRow(row, accepted))
  const plan: ImagePlan = { stored: accepted.format === 'qcow2' ? 'qcow2' : 'raw' }
  await tx.putPrivate('image', id, plan)
  return true
}

function acceptedRow(row: Image, { format, virtualBytes, converted }: AcceptedImage): Image {
  const isIso = format === 'iso'
  const isDeclared = row.disk_format !== 'detect'
  return {
    ...row,
    status: 'active',
    progress: null,
    fault: null,
    ...(converted && { size: converted.sizeBytes, ...digestFields(converted.md5, converted.sha256) }),
    virtual_size: virtualBytes,
    disk_format: isDeclared ? row.disk_format : format,
    type: isIso ? 'iso' : 'template',
    // a volume created from the image must hold its whole virtual disk
    min_disk: isIso ? row.min_disk : Math.max(row.min_disk, Math.ceil(virtualBytes / GiB)),
    updated_at: new Date().toISOString(),
  }
}
