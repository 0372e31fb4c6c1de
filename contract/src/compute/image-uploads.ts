import * as z from 'zod'
import { create, endpoints } from '../core/endpoint'

/** How long a broken upload waits for its sender to come back. */
export const UPLOAD_KEPT_MS = 5 * 60_000
/** Uploads of a project that may be on their way at a time. One that nobody sends any more gives way to a new one. */
export const MOST_UPLOADS = 8

/**
 * An upload that its sender named (`x-hci-upload-id`), and that goes on where it stopped when the connection broke:
 * `images.create` once more, with the same headers, `x-hci-upload-offset` and the bytes from there on.
 */
export const ImageUpload = z.object({
  id: z.string(),
  /** Bytes of the file, and those that have arrived. */
  size: z.number().int(),
  offset: z.number().int(),
})
export type ImageUpload = z.infer<typeof ImageUpload>

/** What a sender says of an upload that it wants to be able to go on with. */
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
    summary: 'Read how far an upload of an image is',
    reply: ImageUpload,
  },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: create('compute_images'),
    summary: 'Give up an upload of an image',
    reply: z.void(),
  },
})
