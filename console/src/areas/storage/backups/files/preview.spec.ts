import { expect, it } from 'vitest'
import { pictureType, pixelsOf } from './picture-size'
import { MOST_PREVIEW_BYTES, previewOf } from './preview'

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const utf8 = (text: string) => Uint8Array.from(new TextEncoder().encode(text))
const seen = (bytes: Uint8Array<ArrayBuffer>, isCut = false) => previewOf({ bytes, isCut })
const reason = (name: string) => ({ kind: 'none', reason: `backups.files.noPreview.${name}` })

const png = (size: string) => bytesOf(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${size}`)
const webp = (form: string, rest: string) => bytesOf(`RIFF\0\0\0\0WEBP${form}\0\0\0\0${rest}`)
const images = [
  ['image/png', png('\0\0\x02\x80\0\0\x01\xe0')],
  ['image/gif', bytesOf('GIF89a\x80\x02\xe0\x01')],
  // a segment and fill bytes come before the frame
  ['image/jpeg', bytesOf('\xff\xd8\xff\xe0\0\x04..\xff\xff\xc2\0\x11\x08\x01\xe0\x02\x80')],
  ['image/webp', webp('VP8X', '\0\0\0\0\x7f\x02\0\xdf\x01\0')],
  ['image/webp', webp('VP8L', '/\x7f\xc2\x77\0')],
  ['image/webp', webp('VP8 ', '...\x9d\x01*\x80\x02\xe0\x01')],
] as const

it.each(images)('shows an image of the type %s, by its content', (type, bytes) => {
  expect(pictureType(bytes)).toBe(type)
  expect(pixelsOf(type, bytes)).toBe(640 * 480)
  expect(seen(bytes)).toMatchObject({ kind: 'picture', picture: { type, size: bytes.length } })
})

it('shows no image that is incomplete, has too many pixels, or does not say how many', () => {
  expect(seen(png('\0\0\x02\x80\0\0\x01\xe0'), true)).toEqual(reason('large'))
  // 65,536 times 65,536 pixels would need 16 GiB
  expect(seen(png('\0\x01\0\0\0\x01\0\0'))).toEqual(reason('pixels'))
  for (const broken of [
    'GIF89a',
    '\xff\xd8\xff',
    '\xff\xd8\xff\xe0\0\0',
    '\xff\xd8\xff\xe0\0\x04..x',
    'GIF87a\0\0\0\0',
  ])
    expect(seen(bytesOf(broken)), broken).toEqual(reason('pixels'))
  expect(seen(webp('VP8?', '............'))).toEqual(reason('pixels'))
})

it('shows all other files as plain text if they are text, also those that a browser would run', () => {
  const hostile = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
  expect(seen(utf8(hostile))).toEqual({ kind: 'text', text: hostile, isCut: false })
  expect(seen(utf8('größe\t1\r\n\x1b[1m2'))).toMatchObject({ kind: 'text', text: 'größe\t1\r\n\x1b[1m2' })
  // the last character of a part may be incomplete
  expect(seen(utf8('größe €').subarray(0, -1), true)).toEqual({ kind: 'text', text: 'größe ', isCut: true })
  expect(seen(utf8('größe €').subarray(0, -1))).toEqual(reason('binary'))
  for (const binary of ['\x7fELF\0\x01', '%PDF-1.7\n\xe2\xe3', 'caf\xe9'])
    expect(seen(bytesOf(binary))).toEqual(reason('binary'))
  expect(seen(utf8(''))).toEqual(reason('empty'))
  expect(MOST_PREVIEW_BYTES).toBe(256 * 1024)
})
