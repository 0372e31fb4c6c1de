import { diskFormats, formatOfFile, imageTypeOfFile } from '@mainstay/contract/compute/image-file-types'
import { osDistros } from '@mainstay/contract/compute/image-rules'
import { ImageDraft, type Image, type ImageChange } from '@mainstay/contract/compute/images'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'

const { shape } = ImageDraft
const distroIds = osDistros.map(({ id }) => id) as [string, ...string[]]

// Null means no minimum.
const amounts = { min_disk: shape.min_disk.nullable(), min_ram: shape.min_ram.nullable() }
const words = (t: Translate<'images'>) => ({
  name: shape.name,
  description: shape.description,
  os_distro: z.enum(distroIds, { error: () => t('images.distroMissing') }),
  tags: shape.tags,
})

/**
 * Schema of the upload form. The file extension is checked, so that an unsupported file is refused before the upload.
 */
export const imageForm = (t: Translate<'images'>) =>
  z
    .object({
      ...words(t),
      ...amounts,
      file: z.custom<File | null>().superRefine((file, context) => {
        if (!file) context.addIssue({ code: 'custom', message: t('images.fileMissing') })
        else if (!imageTypeOfFile(file.name))
          context.addIssue({ code: 'custom', message: t('images.fileRefused', { name: file.name }) })
        else if (file.size === 0) context.addIssue({ code: 'custom', message: t('images.fileEmpty') })
      }),
      disk_format: z.enum([...diskFormats, 'detect']),
      uefi: z.boolean(),
      secure_boot: z.boolean(),
      tpm: z.enum(['none', '1.2', '2.0']),
      shared: z.boolean(),
      protected: z.boolean(),
    })
    .refine(({ tpm, uefi }) => tpm !== '2.0' || uefi, { path: ['tpm'], message: t('images.tpmNeedsUefi') })
export type ImageForm = z.output<ReturnType<typeof imageForm>>

export const emptyImageForm: ImageForm = {
  file: null,
  name: '',
  description: '',
  disk_format: 'detect',
  os_distro: 'linux',
  uefi: false,
  secure_boot: false,
  tpm: 'none',
  min_disk: null,
  min_ram: null,
  shared: false,
  protected: false,
  tags: [],
}

/** Converts form values to an API draft. Secure boot is sent only if UEFI is enabled. */
export const imageDraftOf = (form: ImageForm): ImageDraft => ({
  name: form.name,
  description: form.description,
  disk_format: form.disk_format,
  os_distro: form.os_distro,
  protected: form.protected,
  visibility: form.shared ? 'public' : 'private',
  hw_tpm_version: form.tpm === 'none' ? null : form.tpm,
  hw_firmware_type: form.uefi ? 'uefi' : 'bios',
  os_secure_boot: form.uefi && form.secure_boot,
  min_disk: form.min_disk ?? 0,
  min_ram: form.min_ram ?? 0,
  tags: form.tags,
})

/** Name, disk format and distribution guessed from a file name. */
export const readFileName = (fileName: string) => ({
  name: nameOfFile(fileName),
  disk_format: formatOfFile(fileName),
  os_distro: imageTypeOfFile(fileName) === 'iso' ? 'iso' : distroOfFile(fileName),
})

/**
 * The file name without its extension. A prefix is added if it does not start with a letter, as resource names must.
 */
function nameOfFile(fileName: string): string {
  const stem = fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const name = /^\p{L}/u.test(stem) ? stem : `image-${stem}`
  return name.slice(0, 255).replace(/[\s-]+$/, '')
}

const distroSigns: readonly (readonly [RegExp, string])[] = [
  [/debian.*13|trixie/, 'debian13'],
  [/debian.*12|bookworm/, 'debian12'],
  [/ubuntu.*24\W?04|noble/, 'ubuntu24.04'],
  [/ubuntu.*22\W?04|jammy/, 'ubuntu22.04'],
  [/alma.*9/, 'alma9'],
  [/rocky.*9/, 'rocky9'],
  [/centos.*9/, 'centos-stream9'],
  [/rhel.*9/, 'rhel9'],
  [/fedora/, 'fedora'],
  [/suse.*15/, 'opensuse15'],
  [/alpine/, 'alpine'],
  [/freebsd/, 'freebsd'],
  [/win.*2025|win2?k25/, 'win2k25'],
  [/win.*2022|win2?k22/, 'win2k22'],
  [/win.*2019|win2?k19/, 'win2k19'],
  [/win(dows)?[\s_-]*11/, 'win11'],
  [/win(dows)?[\s_-]*10/, 'win10'],
  [/windows/, 'windows'],
]
const distroOfFile = (fileName: string): string =>
  distroSigns.find(([sign]) => sign.test(fileName.toLowerCase()))?.[1] ?? 'linux'

/** Schema of the image edit form. */
export const imageEditForm = (t: Translate<'images'>) =>
  z.object({
    ...words(t),
    ...amounts,
    username: z.union([
      z.literal(''),
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, { error: () => t('images.usernameWrong') }),
    ]),
    allow_set_password: z.boolean(),
    shared: z.boolean(),
    protected: z.boolean(),
  })
export type ImageEdit = z.output<ReturnType<typeof imageEditForm>>

export const editFormOf = (image: Image): ImageEdit => ({
  name: image.name,
  description: image.description,
  os_distro: image.os_distro,
  min_disk: image.min_disk,
  min_ram: image.min_ram,
  username: image.username ?? '',
  allow_set_password: image.allow_set_password,
  shared: image.visibility === 'public',
  protected: image.protected,
  tags: image.tags,
})

/** Returns only the changed fields, so that concurrent edits of different fields do not overwrite each other. */
export function changeOf(image: Image, form: ImageEdit): ImageChange {
  const { shared, username, min_disk: disk, min_ram: ram, ...rest } = form
  const wanted: Required<ImageChange> = {
    ...rest,
    min_disk: disk ?? 0,
    min_ram: ram ?? 0,
    username: username || null,
    visibility: shared ? 'public' : 'private',
  }
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(image[name as keyof Image])
  return Object.fromEntries(Object.entries(wanted).filter(differs))
}
