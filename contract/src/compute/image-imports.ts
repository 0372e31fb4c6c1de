import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read } from '../core/endpoint'
import { Id, ResourceName } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { diskFormats } from './image-file-types'
import { osDistros } from './image-rules'

/** Maximum size of an imported file in bytes (64 GiB). */
export const MOST_IMPORT_BYTES = 64 * 1024 ** 3
/** Maximum number of unfinished imports per project. */
export const MOST_IMPORTS = 8

const distroIds = osDistros.map(({ id }) => id) as [string, ...string[]]

const WebAddress = z
  .string()
  .max(2048)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), says('compute.use_web_address'))
  .refine((text) => {
    if (!URL.canParse(text)) return true
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }, says('compute.no_user_in_address'))

/** Checksum of the downloaded file: `sha256:` or `sha512:`, followed by hex digits. */
export const Checksum = z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/i, says('compute.checksum_form'))

/** A well-known image that can be imported. `min_ram` in MiB, `min_disk` in GiB. */
export const CatalogueImage = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, says('compute.catalogue_id_form')),
  name: ResourceName,
  version: z.string().max(64),
  url: WebAddress,
  disk_format: z.enum([...diskFormats, 'detect']).default('detect'),
  os_distro: z.enum(distroIds).default('linux'),
  username: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, says('compute.guest_username'))
    .nullable()
    .default(null)
    .describe('Username for signing in to virtual machines created from the image.'),
  hw_firmware_type: z.enum(['bios', 'uefi']).default('bios'),
  min_ram: z
    .number()
    .int()
    .min(0)
    .max(1024 * 1024)
    .default(0),
  min_disk: z
    .number()
    .int()
    .min(0)
    .max(512 * 1024)
    .default(0),
  checksum: Checksum.nullable().default(null),
  checksum_url: WebAddress.nullable().default(null).describe('URL of a checksum list that includes the file.'),
})
export type CatalogueImage = z.infer<typeof CatalogueImage>

export const ImageCatalogue = z.object({
  data: z.array(CatalogueImage),
  problem: z
    .string()
    .nullable()
    .describe('Error in this installation’s catalogue; the built-in catalogue is used instead. Operators only.'),
})
export type ImageCatalogue = z.infer<typeof ImageCatalogue>

/** Source of an import: an image from the catalogue, or a file at a URL. */
export const ImageImport = z
  .strictObject({
    catalogue_id: Id.optional(),
    url: WebAddress.optional(),
    name: ResourceName.optional().describe('Default: the name in the catalogue or, for a URL, the file name.'),
    os_distro: z.enum(distroIds).optional(),
    checksum: Checksum.optional(),
  })
  .refine(({ catalogue_id, url }) => (catalogue_id === undefined) !== (url === undefined), {
    path: ['url'],
    message: says('compute.address_or_catalogue'),
  })
  .meta({ examples: [{ catalogue_id: 'debian-13' }, { url: 'https://images.example/disk.qcow2', name: 'A disk' }] })
export type ImageImport = z.infer<typeof ImageImport>

export const imageImports = endpoints({
  catalogue: {
    verb: 'GET',
    path: '/api/v2/compute/image-catalogue',
    needs: read('compute_images'),
    summary: 'Get the image catalogue. Lists well-known images that can be imported.',
    reply: ImageCatalogue,
  },
  create: {
    verb: 'POST',
    path: '/api/v2/compute/image-imports',
    needs: create('compute_images'),
    summary: 'Import an image. The cloud downloads the file from a URL, as a task.',
    status: 202,
    body: ImageImport,
    /** The task result is `{ id }` with the image ID. */
    reply: TaskStarted,
  },
})
