import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { whyImageStays } from '@mainstay/contract/compute/image-refusals'
import { osDistros } from '@mainstay/contract/compute/image-rules'
import type { Image, ImageDraft } from '@mainstay/contract/compute/images'
import { notFound, problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { ImagesPort } from '../../../ports/compute'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope, Scope } from '../../../ports/scope'
import { actsOn, lockOwn } from '../../access'
import type { Engine } from '../../engine'
import { asProblem } from '../../faults'
import { checkSpace } from '../capacity'
import { deletedMeanwhile, removeImageFiles, type Imports } from './import'
import { digestFields, type ImagePlan } from './rows'
import { takeBack } from '../../take-back'
import { keepUpload } from './upload'
import { forgetCarrier } from '../placements/commands'
import { checkQuotas } from '../../quotas'

export const imageCommands = (engine: Engine, imports: Imports): ImagesPort => ({
  create: (scope, draft, bytes) => createImage(engine, imports, scope, draft, bytes),
  update: (scope, id, change) =>
    engine.records.transaction(async (tx) => {
      const image = await lockOwn<Image>(tx, 'image', scope, id)
      if (change.visibility !== undefined && change.visibility !== image.visibility)
        refusePublic(scope, change.visibility)
      const os = change.os_distro === undefined ? {} : { os_type: familyOf(change.os_distro) }
      const changed = { ...image, ...change, ...os, updated_at: new Date().toISOString() } as Image
      await tx.put('image', changed)
      return changed
    }),
  async delete(scope, id) {
    await engine.records.transaction(async (tx) => {
      await tx.exclusive(`image:${id}`)
      await forgetCarrier(tx, 'images', id)
      const image = await lockOwn<Image>(tx, 'image', scope, id)
      await refuseDelete(tx, image)
      await tx.remove('image', id)
      await tx.removePrivate('image', id)
    })
    imports.cancel(id)
    // If the server is killed here, the files are left without a row and are removed the next time the engine opens.
    await removeImageFiles(engine, id)
  },
  async download(scope, id) {
    const { image, plan } = await engine.records.transaction(async (tx) => {
      const found = await tx.get<Image>('image', id)
      if (!found || !(found.visibility === 'public' || actsOn(scope, found.project_id))) throw notFound()
      return { image: found, plan: await tx.getPrivate<ImagePlan>('image', id) }
    })
    if (image.restricted) throw problem('compute.image_restricted')
    if (image.status !== 'active' || !plan) throw problem('compute.image_not_now', { status: image.status })
    const { stream, sizeBytes } = await engine.hypervisor.disks.read(engine.files.image(id))
    const extension = image.type === 'iso' ? 'iso' : plan.stored
    return {
      bytes: stream,
      sizeBytes,
      md5: image.checksum,
      fileName: `${image.name}.${extension}`,
    }
  },
})

function refusePublic(scope: Scope, visibility: Image['visibility']): void {
  if (visibility !== 'public' || scope.kind === 'system') return
  throw fieldProblem('visibility', 'compute.image_shared_by_administrator')
}

const familyOf = (distro: string): Image['os_type'] => osDistros.find(({ id }) => id === distro)?.os ?? 'linux'

async function refuseDelete(tx: RecordsTransaction, image: Image): Promise<void> {
  const refusal = whyImageStays(image)
  if (refusal) throw refusal
  const users = await tx.getPrivate<string[]>('iso-users', image.id)
  if (users) throw problem('compute.iso_in_drive')
  const [copied] = await tx.find('volume', { image_id: image.id, status: 'creating' }, 1)
  if (copied) throw problem('compute.image_being_copied')
}

async function createImage(
  engine: Engine,
  imports: Imports,
  scope: ProjectScope,
  draft: ImageDraft,
  bytes: Readable,
): Promise<Image> {
  refusePublic(scope, draft.visibility)
  const image = imageRow(scope, draft)
  const { id } = image
  const path = engine.files.upload(id)
  try {
    await engine.records.transaction(async (tx) => {
      await checkQuotas(engine, tx, scope, { images: { amount: 1 } })
      await checkSpace(engine, 0)
      await tx.put('image', image)
    })
    const { sizeBytes, md5, sha256 } = await keepUpload(engine, path, bytes, (size) =>
      engine.records.transaction((tx) => checkQuotas(engine, tx, scope, { image_storage: { amount: size } })),
    )
    const outcome = imports.expect(id)
    // prevents an unhandled rejection before `answer` awaits it
    outcome.catch(() => undefined)
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Image>('image', id)
      if (!row) throw deletedMeanwhile()
      await checkQuotas(engine, tx, scope, { image_storage: { amount: sizeBytes } })
      await tx.put('image', { ...row, status: 'importing', progress: 0, size: sizeBytes, ...digestFields(md5, sha256) })
      await tx.startJob({
        name: 'compute.image.import',
        subject: { kind: 'image', id, name: image.name },
        args: {},
        scope,
      })
    })
    return await answer(engine, id, outcome)
  } catch (error) {
    imports.forget(id)
    await takeBack(engine.log, async () => {
      await engine.records.transaction(async (tx) => {
        // if the connection was lost during the commit, the row may or may not exist
        if (await tx.lock('image', id)) await tx.remove('image', id)
        await tx.removePrivate('image', id)
      })
      await removeImageFiles(engine, id)
    })
    throw asProblem(error)
  }
}

/**
 * Returns the image once it has been checked, or in its current state if the check takes longer than `imageCheckMs`.
 * Throws if the image was rejected.
 */
async function answer(engine: Engine, id: string, outcome: Promise<void>): Promise<Image> {
  const patience = new AbortController()
  try {
    await Promise.race([
      outcome,
      pause(engine.limits.imageCheckMs, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
    ])
  } finally {
    patience.abort()
  }
  const row = await engine.records.transaction((tx) => tx.get<Image>('image', id))
  if (!row) throw deletedMeanwhile()
  return row
}

export function imageRow(scope: ProjectScope, draft: ImageDraft): Image {
  const created = new Date().toISOString()
  return {
    id: randomUUID(),
    name: draft.name,
    description: draft.description,
    status: 'uploading',
    // the size of the upload is not yet known
    progress: null,
    fault: null,
    size: null,
    virtual_size: null,
    checksum: null,
    os_hash_algo: null,
    os_hash_value: null,
    disk_format: draft.disk_format,
    container_format: 'bare',
    type: draft.disk_format === 'iso' ? 'iso' : 'template',
    os_distro: draft.os_distro,
    os_type: familyOf(draft.os_distro),
    tags: [...new Set(draft.tags)],
    traits: [],
    min_disk: draft.min_disk,
    min_ram: draft.min_ram,
    visibility: draft.visibility,
    protected: draft.protected,
    restricted: false,
    hw_firmware_type: draft.hw_firmware_type,
    hw_tpm_version: draft.hw_tpm_version,
    os_secure_boot: draft.os_secure_boot,
    allow_set_password: false,
    username: null,
    project_id: scope.project_id,
    domain_id: scope.domain_id,
    created_at: created,
    updated_at: created,
  }
}
