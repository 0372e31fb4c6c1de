import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read } from '../core/endpoint'
import { Id, ResourceName } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { diskFormats, osDistros } from './image-rules'

/** The largest file that is fetched, bytes: 64 GiB. */
export const MOST_IMPORT_BYTES = 64 * 1024 ** 3
/** Imports of a project that are not over may be so many at a time. */
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

/** A digest of the file as it is fetched: `sha256:` or `sha512:` and its hex digits. */
export const Checksum = z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/i, says('compute.checksum_form'))

/** A well-known image that can be fetched. Sizes in MiB of memory and GiB of disk. */
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
    .describe('as whom people sign in to machines made of it'),
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
  checksum_url: WebAddress.nullable().default(null).describe('a list of digests in which the file stands'),
})
export type CatalogueImage = z.infer<typeof CatalogueImage>

export const ImageCatalogue = z.object({
  data: z.array(CatalogueImage),
  problem: z
    .string()
    .nullable()
    .describe('what is wrong with the catalogue of this installation, so that the built-in one is used; for operators'),
})
export type ImageCatalogue = z.infer<typeof ImageCatalogue>

/** What is fetched: an image of the catalogue, or the file at an address. */
export const ImageImport = z
  .strictObject({
    catalogue_id: Id.optional(),
    url: WebAddress.optional(),
    name: ResourceName.optional().describe('the name of the catalogue, or that of the file, where it is left out'),
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
    summary: 'Read the catalogue of well-known images that can be imported',
    reply: ImageCatalogue,
  },
  create: {
    verb: 'POST',
    path: '/api/v2/compute/image-imports',
    needs: create('compute_images'),
    summary: 'Import an image: the cloud fetches the file from a web address, as a task',
    status: 202,
    body: ImageImport,
    /** The task, whose result is `{ id }` of the image. */
    reply: TaskStarted,
  },
})
