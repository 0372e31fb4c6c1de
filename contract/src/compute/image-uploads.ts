import * as z from 'zod'
import { create, endpoints } from '../core/endpoint'

/** How long an interrupted upload can be resumed. */
export const UPLOAD_KEPT_MS = 5 * 60_000
/** Maximum number of concurrent uploads per project. At the limit, a new upload replaces an interrupted one. */
export const MOST_UPLOADS = 8

/**
 * A resumable upload, identified by the `x-hci-upload-id` header that the client sends. To resume it, repeat
 * `images.create` with the same headers, `x-hci-upload-offset` and the remaining bytes.
 */
export const ImageUpload = z.object({
  id: z.string(),
  /** Size of the file, and the number of bytes received so far. */
  size: z.number().int(),
  offset: z.number().int(),
})
export type ImageUpload = z.infer<typeof ImageUpload>

/** Headers that make an upload resumable. */
export const UploadHeaders = z.object({
  'x-hci-upload-id': z.uuid().optional(),
  'x-hci-upload-size': z.coerce.number().int().min(1).optional(),
  'x-hci-upload-offset': z.coerce.number().int().min(0).default(0),
})

const base = '/api/v2/compute/image-uploads'
export const imageUploads = endpoints({
  view: {
    verb: 'GET',
    path: `${base}/:id`,
    needs: create('compute_images'),
    summary: 'Get the progress of an image upload',
    reply: ImageUpload,
  },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: create('compute_images'),
    summary: 'Cancel an image upload',
    reply: z.void(),
  },
})
