import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'

/* Compares paged lists of uploads with a model. */

let bench: S3Bench
let s3: S3Client
const Bucket = 'upload-lists'
const keys = [
  ...['a', 'a', 'a/1', 'a/1', 'a/2/x', 'a/2/y', 'a-', 'b', 'b//', 'b//c', 'dir/x y&<é>', 'dir/\uffff', 'dir/\u{10000}'],
  ...['z\u{10ffff}/1', 'z\u{10ffff}/2'],
]
const uploads: { key: string; id: string }[] = []
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
  for (const key of keys) {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: key }))
    uploads.push({ key, id: UploadId! })
  }
  // an aborted upload is not listed
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'a/over' }))
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'a/over', UploadId }))
  const bytes = (text: string) => Buffer.from(text)
  uploads.sort((one, other) => Buffer.compare(bytes(one.key), bytes(other.key)) || (one.id < other.id ? -1 : 1))
})
afterAll(() => bench.close())

/** The expected list, in order: uploads as `key id`, and common prefixes. */
function expected(prefix: string, delimiter: string): string[] {
  const items = uploads
    .filter(({ key }) => key.startsWith(prefix))
    .map(({ key, id }) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
      return at < 0 ? `${key} ${id}` : key.slice(0, at + delimiter.length)
    })
  return [...new Set(items)]
}

async function pages(Prefix: string, Delimiter: string, MaxUploads: number): Promise<string[]> {
  const items: string[] = []
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await s3.send(
      new ListMultipartUploadsCommand({ Bucket, Prefix, Delimiter, MaxUploads, EncodingType: 'url', ...marker }),
    )
    const plain = (text: string | undefined) => decodeURIComponent(text ?? '')
    const found = [
      ...(page.Uploads ?? []).map(({ Key, UploadId }) => ({ at: plain(Key), item: `${plain(Key)} ${UploadId}` })),
      ...(page.CommonPrefixes ?? []).map((it) => ({ at: plain(it.Prefix), item: plain(it.Prefix) })),
    ]
    expect(found.length).toBeLessThanOrEqual(MaxUploads)
    expect([plain(page.Prefix), plain(page.Delimiter)]).toEqual([Prefix, Delimiter])
    // uploads and prefixes are returned as separate lists, each in order
    items.push(
      ...found
        .toSorted((one, other) => Buffer.compare(Buffer.from(one.at), Buffer.from(other.at)))
        .map(({ item }) => item),
    )
    if (!page.IsTruncated) return items
    marker = { KeyMarker: plain(page.NextKeyMarker), UploadIdMarker: page.NextUploadIdMarker }
  }
}

it.each([1, 2, 5, 1000])('lists all uploads and common prefixes, %i per page', async (most) => {
  for (const prefix of ['', 'a', 'a/', 'a/2/', 'b/', 'dir/', 'none'])
    for (const delimiter of ['', '/', '//', 'x'])
      expect([prefix, delimiter, await pages(prefix, delimiter, most)]).toEqual([
        prefix,
        delimiter,
        expected(prefix, delimiter),
      ])
})

it('starts after a marker, with or without an upload ID', async () => {
  const [first, second] = uploads.filter(({ key }) => key === 'a/1')
  const after = async (marker: object) =>
    (await s3.send(new ListMultipartUploadsCommand({ Bucket, MaxUploads: 1, ...marker }))).Uploads?.map(
      ({ UploadId }) => UploadId,
    )
  expect(await after({ KeyMarker: 'a/1', UploadIdMarker: first!.id })).toEqual([second!.id])
  expect(await after({ KeyMarker: 'a/1' })).toEqual([uploads.find(({ key }) => key === 'a/2/x')!.id])
  expect(await after({ UploadIdMarker: second!.id })).toEqual([uploads[0]!.id])
  expect(await after({ KeyMarker: '\u{10ffff}' })).toBeUndefined()
})
