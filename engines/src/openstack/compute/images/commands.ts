import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { imageInProgress, MAX_VIRTUAL_BYTES } from '@mainstay/contract/compute/image-rules'
import type { Image, ImageChange, ImageDraft } from '@mainstay/contract/compute/images'
import { Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { checkStream, type CheckedStream } from '../../../image-files/checked-stream'
import { ImageFault } from '../../../image-files/image-fault'
import { openImageWorker } from '../../../image-files/image-worker'
import type { ImagesPort } from '../../../ports/compute'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { changeSteps, patchType, uploadedSteps, wireDraft, type PatchStep } from './change'
import { imageReader, isImporting, WireImage } from './shape'
import { beginUpload, isUploading, takeBack } from './uploads'

/** How long an upload request waits for the import. Longer imports continue in the background. */
const waitForImportMs = 8000
const lookEveryMs = 400

export const imageCommands = (engine: Engine): ImagesPort => ({
  create: (scope, draft, bytes) => createImage(engine, scope, draft, bytes),
  update: (scope, id, change) => updateImage(engine, scope, id, change),
  async delete(scope, id) {
    const cloud = await engine.as(scope)
    const uploading = await isUploading(engine, id)
    await loadUnlessRefused(engine, imageReader, scope, id, (image) => whyNotDeleted(image, uploading))
    await unlessGone(cloud.send('DELETE', 'image', `/images/${id}`, z.void()))
    await unlessGone(engine.refresh(imageReader, id))
  },
  async download(scope, id) {
    const cloud = await engine.as(scope)
    const image = await readable(engine, scope, id)
    const { bytes, sizeBytes } = await cloud.download('image', `/images/${id}/file`)
    return {
      bytes,
      sizeBytes: sizeBytes ?? image.size ?? 0,
      md5: image.checksum,
      fileName: `${image.name}.${image.disk_format}`,
    }
  },
})

function whyNotDeleted(image: Image, uploading: boolean): Problem | null {
  if (image.protected) return problem('compute.image_protected')
  // an abandoned upload may be deleted
  if (image.status !== 'queued' && imageInProgress(image.status) && (uploading || image.status !== 'uploading'))
    return problem('compute.image_not_now', { status: image.status })
  return null
}

/** Returns an active image that belongs to the project or is public; throws otherwise. */
async function readable(engine: Engine, scope: Scope, id: string): Promise<Image> {
  const shown = await engine.records.transaction((tx) => tx.get<Image>('image', id))
  if (shown?.visibility !== 'public') await engine.known<Image>('image', scope, id)
  const image = shown?.status === 'active' ? shown : await engine.refresh(imageReader, id)
  if (image.status !== 'active') throw problem('compute.image_not_now', { status: image.status })
  return image
}

async function updateImage(engine: Engine, scope: Scope, id: string, change: ImageChange): Promise<Image> {
  const cloud = await engine.as(scope)
  await engine.known<Image>('image', scope, id)
  const path = `/images/${id}`
  const steps = changeSteps(await cloud.get('image', path, WireImage), change)
  if (steps.length > 0) {
    await patch(cloud, id, steps).catch((error: unknown) => {
      throw change.visibility === 'public' ? aboutVisibility(error) : error
    })
  }
  return engine.refresh(imageReader, id)
}

const patch = (cloud: ServiceClient, id: string, body: PatchStep[]) =>
  cloud.send('PATCH', 'image', `/images/${id}`, z.void(), { headers: patchType, body })

/** Only the cloud knows which users may publish images, so its error is reported on the `visibility` field. */
const aboutVisibility = (error: unknown): unknown =>
  error instanceof Problem && error.code === 'forbidden'
    ? fieldProblem('visibility', 'compute.image_shared_by_administrator')
    : error

async function createImage(engine: Engine, scope: ProjectScope, draft: ImageDraft, bytes: Readable): Promise<Image> {
  const cloud = await engine.as(scope)
  const worker = openImageWorker({ log: engine.log })
  const upload = await checkStream(worker, bytes, draft.disk_format, MAX_VIRTUAL_BYTES).catch((error: unknown) => {
    throw asProblem(error)
  })
  const id = randomUUID()
  const note = await beginUpload(engine, id)
  try {
    await makeRecord(cloud, id, draft, upload)
    await engine.refresh(imageReader, id)
    await send(engine, cloud, id, draft, upload)
    const image = await takenIn(engine, cloud, id)
    await note.end()
    const subject = { kind: 'image', id, name: image.name }
    await engine.trackToCompletion({ name: 'compute.image.import', subject, until: 'settled', scope })
    return image
  } catch (error) {
    upload.bytes.destroy()
    await takeBack(cloud, id)
      .then(() => unlessGone(engine.refresh(imageReader, id)))
      .then(() => note.end())
      .catch((trouble: unknown) => {
        note.abandon()
        engine.log.warn({ error: trouble, image: id }, 'failed to clean up an interrupted upload; retrying later')
      })
    throw asProblem(upload.failure() ?? error)
  }
}

/** Converts a fault in the uploaded file to a `Problem` for the client. */
const asProblem = (error: unknown): unknown =>
  error instanceof ImageFault
    ? problem('compute.image_refused', { reason: error.message }, { code: error.code })
    : error

async function makeRecord(
  cloud: ServiceClient,
  id: string,
  draft: ImageDraft,
  { format }: CheckedStream,
): Promise<void> {
  const body = wireDraft(id, draft, format)
  await cloud.send('POST', 'image', '/images', z.void(), { body }).catch((error: unknown) => {
    throw draft.visibility === 'public' ? aboutVisibility(error) : error
  })
}

const Offered = z.object({ 'import-methods': z.object({ value: z.array(z.string()) }) })

/** Whether the cloud supports staged uploads, which it checks and imports itself. */
async function offersImport(cloud: ServiceClient): Promise<boolean> {
  const offered = await unlessGone(cloud.get('image', '/info/import', Offered))
  return offered?.['import-methods'].value.includes('glance-direct') ?? false
}

async function send(
  { reading }: Engine,
  cloud: ServiceClient,
  id: string,
  draft: ImageDraft,
  upload: CheckedStream,
): Promise<void> {
  const isImport = await offersImport(cloud)
  const path = `/images/${id}/${isImport ? 'stage' : 'file'}`
  await cloud.upload('PUT', 'image', path, upload.bytes)
  const finish = async (caller: ServiceClient) => {
    await patch(caller, id, uploadedSteps(id, upload.sha256(), draft.protected))
    if (!isImport) return
    const body = { method: { name: 'glance-direct' } }
    await caller.send('POST', 'image', `/images/${id}/import`, z.void(), { body })
  }
  await finish(cloud).catch((error: unknown) => {
    // the token may expire during the upload
    if (error instanceof Problem && error.code === 'unauthorized') return finish(reading.caller)
    throw error
  })
}

/**
 * Waits up to `waitForImportMs` for the import and returns the image. Throws if the cloud rejects the image within that
 * time.
 */
async function takenIn(engine: Engine, cloud: ServiceClient, id: string): Promise<Image> {
  const until = Date.now() + waitForImportMs
  while (Date.now() < until && isImporting(await cloud.get('image', `/images/${id}`, WireImage)))
    await sleep(lookEveryMs)
  const image = await engine.refresh(imageReader, id)
  if (image.status === 'error') throw problem('compute.image_not_accepted', { reason: image.fault ?? '' })
  return image
}
