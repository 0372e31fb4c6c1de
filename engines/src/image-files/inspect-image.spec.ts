import { describe, expect, test } from 'vitest'
import { beginningOf } from './image-file'
import { inspectImage } from './inspect-image'

const GiB = 1024 ** 3
const most = 10 * GiB

/** Returns an incomplete file (`begun`), or the same file once it is complete (`whole`). */
const begun = (head: Buffer) => beginningOf(head, null)
const whole = (head: Buffer, sizeBytes = head.length, tail = head.subarray(-512)) =>
  beginningOf(head, { sizeBytes, tail })

const rawHead = () => {
  const head = Buffer.alloc(65_536)
  head.set([0x55, 0xaa], 510)
  return head
}
const qcow2Head = (change: (head: Buffer) => void = () => undefined) => {
  const head = Buffer.alloc(65_536)
  head.write('QFI\u00fb', 'latin1')
  head.writeUInt32BE(2, 4)
  head.writeBigUInt64BE(BigInt(GiB), 24)
  change(head)
  return head
}
const vhdFooter = (kind: number, sizeBytes: number) => {
  const footer = Buffer.alloc(512)
  footer.write('conectix', 'latin1')
  footer.writeBigUInt64BE(BigInt(sizeBytes), 48)
  footer.writeUInt32BE(kind, 60)
  return footer
}

describe('an image of which only the beginning is available', () => {
  test('is recognized by its signature, with the size from its header', async () => {
    expect(await inspectImage(begun(qcow2Head()), 'detect', most)).toEqual({ format: 'qcow2', virtualBytes: GiB })
    expect(await inspectImage(begun(rawHead()), 'detect', most)).toEqual({ format: 'raw', virtualBytes: null })
  })

  test.each([
    ['a backing file', qcow2Head((head) => head.writeBigUInt64BE(512n, 8)), 'image_backing_file'],
    ['encryption', qcow2Head((head) => head.writeUInt32BE(1, 32)), 'image_encrypted'],
    ['a size of 1 EiB', qcow2Head((head) => head.writeBigUInt64BE(1024n ** 6n, 24)), 'image_too_large'],
    ['the signature of an archive', Buffer.from('PK\u0003\u0004'.padEnd(4096), 'latin1'), 'image_format_unsupported'],
    ['no signature', Buffer.alloc(65_536), 'image_format_unsupported'],
  ])('is refused for %s before the rest arrives', async (_, head, code) => {
    await expect(inspectImage(begun(head), 'detect', most)).rejects.toMatchObject({ code })
  })

  test('is refused once complete if it ends in the middle of a sector', async () => {
    await expect(inspectImage(whole(rawHead(), GiB + 1, Buffer.alloc(512)), 'raw', most)).rejects.toMatchObject({
      code: 'image_truncated',
    })
  })

  test('may be a fixed-size VHD, which is recognized only by its last sector', async () => {
    const head = rawHead()
    expect(await inspectImage(begun(head), 'vhd', most)).toEqual({ format: 'vpc', virtualBytes: null })
    const ended = (tail: Buffer) => inspectImage(whole(head, GiB + 512, tail), 'vhd', most)
    expect(await ended(vhdFooter(2, GiB))).toEqual({ format: 'vpc', virtualBytes: GiB })
    await expect(ended(vhdFooter(2, 2 * GiB))).rejects.toMatchObject({ code: 'image_truncated' })
    await expect(ended(Buffer.alloc(512))).rejects.toMatchObject({ code: 'image_format_unsupported' })
  })

  test('may be a dynamic VHD, which is recognized by its first sector', async () => {
    const head = Buffer.concat([vhdFooter(3, GiB), Buffer.alloc(65_536)])
    expect(await inspectImage(begun(head), 'detect', most)).toEqual({ format: 'vpc', virtualBytes: GiB })
    const difference = Buffer.concat([vhdFooter(4, GiB), Buffer.alloc(65_536)])
    await expect(inspectImage(begun(difference), 'detect', most)).rejects.toMatchObject({ code: 'image_backing_file' })
  })
})
