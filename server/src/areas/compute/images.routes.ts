import * as z from 'zod'
import { imageUploads, type ImageUpload } from '@mainstay/contract/compute/image-uploads'
import type { ImageDraft, ImageHeaders } from '@mainstay/contract/compute/images'
import { Tag } from '@mainstay/contract/core/names'
import { fieldProblem, problemOf, ruleIn } from '@mainstay/contract/core/problems'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { resources } from '@mainstay/contract/resources'
import { serve } from '../../http/serve'
import { serveResource } from '../../http/serve-resource'
import { inProject } from '../../session/in-project'

const TAGS_HEADER = 'x-hci-image-tags'

function tagsOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  try {
    return z.array(Tag).max(50).parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof z.ZodError) throw problemOf(ruleIn(error), { field: TAGS_HEADER })
    throw fieldProblem(TAGS_HEADER, 'compute.tags_as_json')
  }
}

/** Builds an image draft from the headers of an upload. */
export const draftFromHeaders = (headers: ImageHeaders): ImageDraft => ({
  name: headers['x-hci-image-name'],
  description: headers['x-hci-image-description'] ?? '',
  disk_format: headers['x-hci-image-disk-format'],
  os_distro: headers['x-hci-image-os-distro'],
  protected: headers['x-hci-image-protected'],
  visibility: headers['x-hci-image-visibility'],
  hw_tpm_version: headers['x-hci-image-hw-tpm-version'] ?? null,
  hw_firmware_type: headers['x-hci-image-hw-firmware-type'],
  os_secure_boot: headers['x-hci-image-os-secure-boot'],
  min_disk: headers['x-hci-image-min-disk'],
  min_ram: headers['x-hci-image-min-ram'],
  tags: tagsOf(headers[TAGS_HEADER]),
})

/**
 * Reads the ID, size and offset of a resumable upload from the headers. Returns null if the upload is not resumable.
 */
function uploadOf(headers: ImageHeaders): ImageUpload | null {
  const id = headers['x-hci-upload-id']
  const size = headers['x-hci-upload-size']
  if (id === undefined) return null
  if (size === undefined) throw fieldProblem('x-hci-upload-size', 'compute.file_size_missing')
  return { id, size, offset: headers['x-hci-upload-offset'] }
}

export const imageRoutes = serveResource(resources.images, ({ ports }) => ports.compute.images, {
  async create({ scope, headers, bytes }, { imageUploads, inventory }) {
    const image = await imageUploads.create(inProject(scope), draftFromHeaders(headers), uploadOf(headers), bytes)
    const { data } = await inventory.list<Task>(taskKind, scope, {
      ...{ limit: 1, sort: 'created_at:desc', subject_id: image.id },
    })
    return { ...image, task_id: data[0]?.id ?? null }
  },
  async download({ scope, params }, { ports }) {
    const { bytes, sizeBytes, fileName, md5 } = await ports.compute.images.download(scope, params.id)
    return { bytes, sizeBytes, fileName, md5, contentType: 'application/octet-stream' }
  },
})

export const imageUploadRoutes = serve(
  imageUploads,
  {
    view: ({ scope, params }, tools) => tools.imageUploads.view(scope, params.id),
    delete: ({ scope, params }, tools) => tools.imageUploads.delete(scope, params.id),
  },
  { about: 'image_upload' },
)
