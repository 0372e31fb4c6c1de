import { expect, test } from 'vitest'
import { formatOfFile, imageTypeOfFile, isoExtensions, templateExtensions } from './image-file-types'
import { imageDeleteBlocked, imageInProgress } from './image-rules'
import { ImageHeaders } from './images'

test('treats a file with the extension iso as an ISO [VA-051]', () => {
  expect(isoExtensions).toEqual(['iso'])
  expect(imageTypeOfFile('debian-13.ISO')).toBe('iso')
  expect(formatOfFile('debian-13.iso')).toBe('iso')
})

test('treats exactly 11 file extensions as templates [VA-052]', () => {
  const all = ['aki', 'ami', 'ari', 'img', 'ploop', 'qcow2', 'raw', 'vdi', 'vhd', 'vhdx', 'vmdk']
  expect([...templateExtensions].toSorted()).toEqual(all)
  for (const extension of all) expect(imageTypeOfFile(`disk.1.${extension}`)).toBe('template')
  for (const name of ['disk', 'disk.', 'disk.qcow', 'disk.tar.gz', '.hidden', 'raw'])
    expect(imageTypeOfFile(name)).toBeNull()
})

test('detects the format if the file extension does not determine it', () => {
  expect(formatOfFile('disk.img')).toBe('detect')
  expect(formatOfFile('disk.bin')).toBe('detect')
  expect(formatOfFile('disk.vmdk')).toBe('vmdk')
})

test('an image is busy until it is active or in the error state, and protected images cannot be deleted', () => {
  for (const status of ['queued', 'saving', 'uploading', 'importing']) expect(imageInProgress(status)).toBe(true)
  for (const status of ['active', 'error', 'killed', 'deactivated']) expect(imageInProgress(status)).toBe(false)
  expect(imageDeleteBlocked({ protected: true, status: 'active' })).toBe('protected')
  expect(imageDeleteBlocked({ protected: false, status: 'active' })).toBeNull()
  expect(imageDeleteBlocked({ protected: false, status: 'uploading' })).toBe('busy')
  expect(imageDeleteBlocked({ protected: false, status: 'importing' })).toBeNull()
})

test('upload headers accept any name as base64 and refuse malformed base64', () => {
  const read = (name: string) => ImageHeaders.safeParse({ 'x-hci-image-name': Buffer.from(name).toString('base64') })
  expect(read('Ünïcödé 名前').data?.['x-hci-image-name']).toBe('Ünïcödé 名前')
  expect(read('1st').success).toBe(false)
  for (const text of ['', '***', 'YQ', Buffer.from('x'.repeat(256)).toString('base64')]) {
    expect(ImageHeaders.safeParse({ 'x-hci-image-name': text }).success).toBe(false)
  }
})
