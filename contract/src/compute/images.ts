import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, read } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, ResourceName, Tag, Time } from '../core/names'
import { diskFormats } from './image-file-types'
import { osDistros } from './image-rules'
import { UploadHeaders } from './image-uploads'

const distroIds = osDistros.map((distro) => distro.id) as [string, ...string[]]

/** A disk image: an ISO or a template (S2§3). Sizes in bytes, `min_disk` in GiB, `min_ram` in MiB. */
export const Image = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.string(),
  /** Progress in percent while the image is being uploaded or converted. */
  progress: z.number().nullable(),
  /** Message that tells users why the image is in the error state. */
  fault: z.string().nullable(),
  size: z.number().int().nullable(),
  virtual_size: z.number().int().nullable(),
  checksum: z
    .string()
    .nullable()
    .describe('Hexadecimal MD5 checksum of the file that a download returns; null if unknown.'),
  os_hash_algo: z
    .string()
    .nullable()
    .describe('Algorithm of `os_hash_value`: `sha256`, or the algorithm that the cloud uses.'),
  os_hash_value: z.string().nullable().describe('Hexadecimal digest of the file that a download returns.'),
  disk_format: z.string(),
  container_format: z.string(),
  type: z.enum(['iso', 'template']),
  os_distro: z.string(),
  os_type: z.enum(['linux', 'windows']),
  tags: z.array(z.string()),
  /** IDs of the placements that are assigned to instances created from this image. */
  traits: z.array(z.string()),
  min_disk: z.number().int(),
  min_ram: z.number().int(),
  visibility: z.enum(['public', 'private']),
  protected: z.boolean(),
  restricted: z.boolean(),
  hw_firmware_type: z.enum(['bios', 'uefi']),
  hw_tpm_version: z.enum(['1.2', '2.0']).nullable(),
  os_secure_boot: z.boolean(),
  allow_set_password: z.boolean(),
  username: z.string().nullable(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Image = z.infer<typeof Image>

const base64Text = (inner: z.ZodType<string, string>) =>
  z
    .string()
    .max(4096)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, says('core.send_base64'))
    .transform((text, context) => {
      try {
        return new TextDecoder().decode(Uint8Array.from(atob(text.replace(/=+$/, '')), (char) => char.charCodeAt(0)))
      } catch {
        // valid base64 characters, but an incomplete last byte
        context.addIssue({ code: 'custom', message: says('core.send_base64') })
        return z.NEVER
      }
    })
    .pipe(inner)
const flag = z.enum(['true', 'false', '1', '0', 'True', 'False']).transform((text) => /^(true|1)$/i.test(text))
const count = (most: number) => z.coerce.number().int().min(0).max(most)

/** Upload headers (product notes C2). They take the place of a JSON body, because the body is the file itself. */
export const ImageHeaders = z.object({
  'x-hci-image-name': base64Text(ResourceName),
  'x-hci-image-description': base64Text(Description).optional(),
  'x-hci-image-disk-format': z.enum([...diskFormats, 'detect']).default('detect'),
  'x-hci-image-container-format': z.enum(['bare']).default('bare'),
  'x-hci-image-os-distro': z.enum(distroIds).default('linux'),
  'x-hci-image-protected': flag.default(false),
  'x-hci-image-visibility': z.enum(['public', 'private']).default('private'),
  'x-hci-image-hw-tpm-version': z.enum(['1.2', '2.0']).optional(),
  'x-hci-image-hw-firmware-type': z.enum(['bios', 'uefi']).default('bios'),
  'x-hci-image-os-secure-boot': flag.default(false),
  'x-hci-image-min-disk': count(512 * 1024).default(0),
  'x-hci-image-min-ram': count(1024 * 1024).default(0),
  'x-hci-image-tags': base64Text(z.string()).optional().describe('Base64-encoded JSON array of strings.'),
  ...UploadHeaders.shape,
})
export type ImageHeaders = z.infer<typeof ImageHeaders>

export const ImageDraft = z.strictObject({
  name: ResourceName,
  description: Description,
  disk_format: z.enum([...diskFormats, 'detect']),
  os_distro: z.enum(distroIds),
  protected: z.boolean(),
  visibility: z.enum(['public', 'private']),
  hw_tpm_version: z.enum(['1.2', '2.0']).nullable(),
  hw_firmware_type: z.enum(['bios', 'uefi']),
  os_secure_boot: z.boolean(),
  min_disk: z
    .number()
    .int()
    .min(0)
    .max(512 * 1024),
  min_ram: z
    .number()
    .int()
    .min(0)
    .max(1024 * 1024),
  tags: z.array(Tag).max(50),
})
export type ImageDraft = z.infer<typeof ImageDraft>

export const ImageChange = z
  .strictObject({
    name: ResourceName,
    description: Description,
    os_distro: z.enum(distroIds),
    protected: z.boolean(),
    visibility: z.enum(['public', 'private']),
    min_disk: z
      .number()
      .int()
      .min(0)
      .max(512 * 1024),
    min_ram: z
      .number()
      .int()
      .min(0)
      .max(1024 * 1024),
    tags: z.array(Tag).max(50),
    username: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, says('compute.guest_username'))
      .nullable(),
    allow_set_password: z.boolean(),
  })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type ImageChange = z.infer<typeof ImageChange>

export const imageKind = kind({
  name: 'image',
  entity: Image,
  visibility: 'project',
  shared: { path: 'visibility', equals: 'public' },
  status: 'status',
  filters: [
    'id',
    'name',
    { name: 'status', type: 'id' },
    { name: 'disk_format', type: 'id' },
    'type',
    'visibility',
    { name: 'os_distro', type: 'id' },
    'os_type',
    'tags',
    'traits',
    'project_id',
  ],
  sortKeys: ['name', 'id', 'status', 'size', 'disk_format', 'created_at', 'updated_at'],
  permissions: { collection: 'compute_images', item: 'compute_image' },
})

const path = '/api/v2/compute/images'
export const images = endpoints({
  ...crud(imageKind, {
    path,
    called: ['an image', 'images'],
    change: ImageChange,
    delete: true,
  }),
  create: {
    verb: 'POST',
    path,
    needs: create('compute_images'),
    summary: 'Upload an image. The body is the file, and headers set the properties.',
    headers: ImageHeaders,
    bytes: 'in',
    status: 202,
    /** `task_id` is the task that checks the image, if any; its result is `{ id }`. */
    reply: Image.extend({ task_id: z.string().nullable() }),
  },
  download: {
    verb: 'GET',
    path: `${path}/:id/file`,
    needs: read('compute_image_file'),
    summary: 'Download an image',
    bytes: 'out',
    reply: z.void(),
  },
})
