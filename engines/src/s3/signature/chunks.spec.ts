import { expect, it } from 'vitest'
import { decodeChunks } from './chunks'

/** Decodes a chunked body that arrives in pieces of 60 000 bytes, and returns the decoded size. */
async function bytesIn(body: string): Promise<number> {
  async function* pieces() {
    for (let at = 0; at < body.length; at += 60_000) yield Buffer.from(body.slice(at, at + 60_000))
  }
  let size = 0
  for await (const part of decodeChunks(pieces(), null, new Map())) size += part.length
  return size
}

it('accepts up to 100 000 small chunks', async () => {
  const end = '0\r\n\r\n'
  expect(await bytesIn('1\r\na\r\n'.repeat(99_999) + end)).toBe(99_999)
  await expect(bytesIn('1\r\na\r\n'.repeat(100_001) + end)).rejects.toMatchObject({ code: 'InvalidChunkSizeError' })
  const large = `2000\r\n${'b'.repeat(8192)}\r\n`
  expect(await bytesIn(large.repeat(100) + '5\r\nhello\r\n' + end)).toBe(100 * 8192 + 5)
})
