import { englishText } from '@mainstay/contract/core/english'
import { beforeAll, expect, it, test } from 'vitest'
import { isoExtensions, templateExtensions } from '@mainstay/contract/compute/image-file-types'
import { ImageHeaders, type Image } from '@mainstay/contract/compute/images'
import { loadTexts, textsNow, type Translate } from '../../../i18n/use-t'
import {
  changeOf,
  imageDraftOf,
  editFormOf,
  emptyImageForm,
  imageEditForm,
  imageForm,
  readFileName,
  type ImageForm,
} from './image-form'
import { headersOf } from './image-headers'

let t: Translate<'images'>
beforeAll(async () => {
  await loadTexts('images')
  t = textsNow('images')
})

const file = (name: string, content = 'bytes') => new File([content], name)
const filled = (part: Partial<ImageForm> = {}): ImageForm => ({
  ...emptyImageForm,
  file: file('debian.qcow2'),
  name: 'debian',
  ...part,
})
const faults = (form: ImageForm) =>
  Object.fromEntries(
    imageForm(t)
      .safeParse(form)
      .error?.issues.map((it) => [it.path.join('.'), englishText(it.message)]) ?? [],
  )

test.each([...isoExtensions, ...templateExtensions])('accepts a file ending in .%s', (extension) => {
  expect(faults(filled({ file: file(`disk.${extension}`) }))).toEqual({})
  expect(faults(filled({ file: file(`DISK.${extension.toUpperCase()}`) }))).toEqual({})
})

test.each(['notes.txt', 'disk.ova', 'disk.qcow2.gz', 'qcow2', 'disk.'])(
  'refuses %s because of its file extension',
  (name) => {
    expect(faults(filled({ file: file(name) }))).toEqual({
      file: `“${name}” does not have a supported file extension`,
    })
  },
)

it('requires a non-empty file', () => {
  expect(faults(filled({ file: null }))).toEqual({ file: 'Choose a file' })
  expect(faults(filled({ file: file('disk.raw', '') }))).toEqual({ file: 'This file is empty' })
})

it('allows TPM 2.0 only with UEFI', () => {
  expect(faults(filled({ tpm: '2.0' }))).toEqual({ tpm: 'TPM 2.0 needs UEFI' })
  expect(faults(filled({ tpm: '2.0', uefi: true }))).toEqual({})
  expect(faults(filled({ tpm: '1.2' }))).toEqual({})
})

it('drops secure boot when UEFI is disabled', () => {
  expect(imageDraftOf(filled({ uefi: true, secure_boot: true })).os_secure_boot).toBe(true)
  expect(imageDraftOf(filled({ uefi: false, secure_boot: true })).os_secure_boot).toBe(false)
})

test.each([
  ['debian-12-generic.qcow2', 'debian-12-generic', 'qcow2', 'debian12'],
  ['ubuntu-24.04-server.img', 'ubuntu-24.04-server', 'detect', 'ubuntu24.04'],
  ['Windows Server 2022.vhdx', 'Windows Server 2022', 'vhdx', 'win2k22'],
  ['42.raw', 'image-42', 'raw', 'linux'],
  ['debian-13-netinst.iso', 'debian-13-netinst', 'iso', 'iso'],
  ['ディスク.vmdk', 'ディスク', 'vmdk', 'linux'],
])('derives from %s the name %s, the format %s and the distribution %s', (fileName, name, format, distro) => {
  expect(readFileName(fileName)).toEqual({ name, disk_format: format, os_distro: distro })
})

it('encodes all fields as ASCII headers, including non-ASCII text', () => {
  const draft = imageDraftOf(
    filled({
      name: 'Образ – 画像',
      description: 'für alle',
      disk_format: 'qcow2',
      os_distro: 'win11',
      uefi: true,
      secure_boot: true,
      tpm: '2.0',
      min_disk: 32,
      min_ram: 4096,
      shared: true,
      protected: true,
      tags: ['a', 'ü, not'],
    }),
  )
  const headers = headersOf(draft)
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
  expect(ImageHeaders.parse(headers)).toEqual({
    'x-hci-image-name': 'Образ – 画像',
    'x-hci-image-description': 'für alle',
    'x-hci-image-disk-format': 'qcow2',
    'x-hci-image-container-format': 'bare',
    'x-hci-image-os-distro': 'win11',
    'x-hci-image-protected': true,
    'x-hci-image-visibility': 'public',
    'x-hci-image-hw-tpm-version': '2.0',
    'x-hci-image-hw-firmware-type': 'uefi',
    'x-hci-image-os-secure-boot': true,
    'x-hci-image-min-disk': 32,
    'x-hci-image-min-ram': 4096,
    'x-hci-image-tags': '["a","ü, not"]',
    // an upload of the whole file starts at offset 0
    'x-hci-upload-offset': 0,
  })
})

it('omits headers for empty values', () => {
  const headers = headersOf(imageDraftOf(filled()))
  expect(Object.keys(headers)).not.toContain('x-hci-image-tags')
  expect(Object.keys(headers)).not.toContain('x-hci-image-hw-tpm-version')
  expect(ImageHeaders.parse(headers)['x-hci-image-min-disk']).toBe(0)
})

const image = {
  name: 'debian',
  description: '',
  os_distro: 'debian12',
  min_disk: 4,
  min_ram: 0,
  username: null,
  allow_set_password: false,
  visibility: 'private',
  protected: false,
  tags: ['a'],
} as unknown as Image

it('sends only the changed fields when an image is edited', () => {
  const form = editFormOf(image)
  expect(changeOf(image, form)).toEqual({})
  expect(changeOf(image, { ...form, name: 'other', username: 'debian', min_disk: null, tags: ['a', 'b'] })).toEqual({
    name: 'other',
    username: 'debian',
    min_disk: 0,
    tags: ['a', 'b'],
  })
  expect(changeOf(image, { ...form, shared: true })).toEqual({ visibility: 'public' })
})

it('accepts only usernames that are valid in a guest', () => {
  const check = (username: string) => imageEditForm(t).safeParse({ ...editFormOf(image), username }).success
  expect(['', 'debian', '_svc-1'].map(check)).toEqual([true, true, true])
  expect(['1st', 'a b', 'root;'].map(check)).toEqual([false, false, false])
})
