import {
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  CreateBucketCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Compares lists, in pages of any size, with a sorted model for random keys. */

let bench: S3Bench
let s3: S3Client
beforeAll(async () => {
  bench = await startS3()
  ;({ s3 } = await bench.client('project-member'))
})
afterAll(() => bench.close())

const piece = fc.constantFrom(
  ...['a', 'b', 'B', '/', '//', '.', '..', '%2F', '%25', '+', ' ', '&', '<', '"', 'é', '\u0001', '\u007f'],
  ...['\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '\u{1f600}'],
)
const text = (least: number, most: number) =>
  fc.array(piece, { minLength: least, maxLength: most }).map((it) => it.join(''))
const delimiters = fc.oneof(fc.constantFrom('', '/'), piece, text(1, 2))

const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

interface Asked {
  prefix: string
  delimiter: string
}
/** The expected list: keys and common prefixes, in byte order. */
function modelOf(keys: readonly string[], { prefix, delimiter }: Asked, after: string): string[] {
  const items = keys
    .filter((key) => key.startsWith(prefix) && compare(key, after) > 0)
    .map((key) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
      return at < 0 ? key : `${key.slice(0, at + delimiter.length)}\0`
    })
  return [...new Set(items)].sort(compare)
}

/**
 * Returns all pages of a list, with version 1 or 2 of the call. Common prefixes end with U+0000, which keys cannot
 * contain.
 */
async function listed(Bucket: string, asked: Asked, most: number, after: string, isSecond: boolean): Promise<string[]> {
  const items: string[] = []
  let next: string | undefined
  for (let page = 0; page < 200; page++) {
    const common = {
      Bucket,
      Prefix: asked.prefix,
      Delimiter: asked.delimiter,
      MaxKeys: most,
      EncodingType: 'url' as const,
    }
    const answer = isSecond
      ? await s3.send(new ListObjectsV2Command({ ...common, StartAfter: after, ContinuationToken: next }))
      : await s3.send(new ListObjectsCommand({ ...common, Marker: next ?? after }))
    const plain = (it: string | undefined) => decodeURIComponent(it!)
    const here = [
      ...(answer.Contents ?? []).map(({ Key }) => plain(Key)),
      ...(answer.CommonPrefixes ?? []).map(({ Prefix }) => `${plain(Prefix)}\0`),
    ]
    expect(here.length).toBeLessThanOrEqual(most)
    items.push(...here.sort(compare))
    if (!answer.IsTruncated) return items
    expect(here).toHaveLength(most)
    next =
      'NextContinuationToken' in answer
        ? (answer.NextContinuationToken as string)
        : plain((answer as { NextMarker?: string }).NextMarker ?? encodeURIComponent(here.at(-1)!))
  }
  throw new Error('the list does not end')
}

it('returns the same lists as the model, with both versions and any page size', { timeout: 240_000 }, async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(text(1, 5), { minLength: 1, maxLength: 25 }),
      fc.array(
        fc.tuple(
          fc.oneof(fc.constant(''), text(1, 2)),
          delimiters,
          fc.integer({ min: 1, max: 5 }),
          fc.oneof(fc.constant(''), text(1, 3)),
        ),
        {
          minLength: 4,
          maxLength: 4,
        },
      ),
      async (keys, questions) => {
        const Bucket = `model-${++count}`
        await s3.send(new CreateBucketCommand({ Bucket }))
        // URLs cannot contain the segments . and .., which are normalized away
        const sent = keys.filter((key) => !key.split('/').some((name) => name === '.' || name === '..'))
        for (const Key of sent) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
        for (const [prefix, delimiter, most, after] of questions)
          for (const isSecond of [true, false]) {
            const asked = { prefix, delimiter }
            const model = modelOf(sent, asked, after)
            // a common prefix before the start of a page may be repeated if there are later keys with it
            expect(
              await listed(Bucket, asked, most, after, isSecond),
              JSON.stringify({ sent, asked, after, most }),
            ).toEqual(model.filter((it) => !it.endsWith('\0') || !isOver(it.slice(0, -1), after)))
          }
      },
    ),
    { numRuns: 15 },
  )
})

/** Whether a page that starts after this text is already past the common prefix. */
const isOver = (common: string, after: string) => after.startsWith(common)
