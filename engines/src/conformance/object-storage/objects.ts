import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { codeOf, describeObjectStorageSuite, type StartObjectStorage } from './fixture'

const MiB = 1024 ** 2

/** Conformance tests for buckets and objects, as the console creates and reads them. */
export function describeS3Objects(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 objects', start, (it) => {
    const head = (Bucket: string, Key: string) => it.mine.send(new HeadObjectCommand({ Bucket, Key }))
    const read = async (Bucket: string, Key: string) =>
      (await it.mine.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString()
    const put = (Bucket: string, Key: string, Body: string | Buffer | Readable, more: object = {}) =>
      it.mine.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))

    test('a bucket is visible only to its owner, has a unique name, and can be deleted only if empty', async () => {
      const Bucket = await it.bucket()
      expect((await it.mine.send(new ListBucketsCommand({}))).Buckets!.map(({ Name }) => Name)).toContain(Bucket)
      expect((await it.others.send(new ListBucketsCommand({}))).Buckets!.map(({ Name }) => Name)).not.toContain(Bucket)
      expect(await codeOf(it.others.send(new CreateBucketCommand({ Bucket })))).toBe('BucketAlreadyExists')
      await put(Bucket, 'a', 'text')
      expect(await codeOf(it.mine.send(new DeleteBucketCommand({ Bucket })))).toBe('BucketNotEmpty')
      await it.mine.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
      await it.mine.send(new DeleteBucketCommand({ Bucket }))
      expect(await codeOf(it.mine.send(new ListObjectsV2Command({ Bucket })))).toBe('NoSuchBucket')
    })

    test('returns objects unchanged for any key, with content type and metadata', async () => {
      const Bucket = await it.bucket()
      const keys = ['plain', 'a folder/ü+%2F &=?#(1)*!\'".txt', 'a//b', '%25', '.', 'x/../y', '😀', 'a+b c']
      for (const Key of keys) await put(Bucket, Key, Key, { ContentType: 'text/plain', Metadata: { from: 'here' } })
      for (const Key of keys) {
        expect(await read(Bucket, Key)).toBe(Key)
        expect(await head(Bucket, Key)).toMatchObject({ ContentType: 'text/plain', Metadata: { from: 'here' } })
      }
      const { Contents } = await it.mine.send(new ListObjectsV2Command({ Bucket }))
      expect(new Set(Contents!.map(({ Key }) => Key))).toEqual(new Set(keys))
    })

    test('reads a range of an object, and honors conditional headers', async () => {
      const Bucket = await it.bucket()
      const { ETag } = await put(Bucket, 'a', 'hello')
      expect(ETag).toBe(`"${createHash('md5').update('hello').digest('hex')}"`)
      const part = await it.mine.send(new GetObjectCommand({ Bucket, Key: 'a', Range: 'bytes=1-3' }))
      expect([part.ContentRange, await part.Body!.transformToString()]).toEqual(['bytes 1-3/5', 'ell'])
      const known = it.mine.send(new GetObjectCommand({ Bucket, Key: 'a', IfNoneMatch: ETag }))
      await expect(known).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
      const other = it.mine.send(new GetObjectCommand({ Bucket, Key: 'a', IfMatch: '"other"' }))
      expect(await codeOf(other)).toBe('PreconditionFailed')
    })

    test('lists objects by prefix and delimiter, in pages', async () => {
      const Bucket = await it.bucket()
      for (const key of ['x/', 'x/1', 'x/2', 'x/sub/1', 'x/sub/2', 'y']) await put(Bucket, key, '')
      const page = (more: object) =>
        it.mine.send(new ListObjectsV2Command({ Bucket, Prefix: 'x/', Delimiter: '/', MaxKeys: 2, ...more }))
      const first = await page({})
      expect([first.Contents!.map(({ Key }) => Key), first.IsTruncated]).toEqual([['x/', 'x/1'], true])
      const second = await page({ ContinuationToken: first.NextContinuationToken })
      expect(second.Contents!.map(({ Key }) => Key)).toEqual(['x/2'])
      expect(second.CommonPrefixes).toEqual([{ Prefix: 'x/sub/' }])
    })

    test('copies objects, and deletes several in one call', async () => {
      const Bucket = await it.bucket()
      for (const key of ['a', 'b', 'c']) await put(Bucket, key, key)
      await it.mine.send(new CopyObjectCommand({ Bucket, Key: 'd', CopySource: `${Bucket}/a` }))
      expect(await read(Bucket, 'd')).toBe('a')
      const Objects = [{ Key: 'a' }, { Key: 'b' }]
      await it.mine.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      const { Contents } = await it.mine.send(new ListObjectsV2Command({ Bucket }))
      expect(Contents!.map(({ Key }) => Key)).toEqual(['c', 'd'])
    })

    test('denies access to a bucket of another user', async () => {
      const Bucket = await it.bucket()
      await put(Bucket, 'a', 'mine')
      for (const command of [
        new GetObjectCommand({ Bucket, Key: 'a' }),
        new ListObjectsV2Command({ Bucket }),
        new PutObjectCommand({ Bucket, Key: 'b', Body: 'x' }),
        new DeleteObjectCommand({ Bucket, Key: 'a' }),
        new DeleteBucketCommand({ Bucket }),
      ])
        expect(await codeOf(it.others.send(command as GetObjectCommand))).toBe('AccessDenied')
      expect(await read(Bucket, 'a')).toBe('mine')
    })

    const base64Crc32 = (text: string) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(crc32(text) >>> 0)
      return bytes.toString('base64')
    }
    /** Returns a chunked body with a trailing checksum, as browsers and SDKs send it. */
    const inChunks = (text: string, sum: string, change: Record<string, string> = {}) => ({
      headers: {
        ...{ 'content-encoding': 'aws-chunked', 'x-amz-trailer': 'x-amz-checksum-crc32' },
        ...{ 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
        'x-amz-decoded-content-length': String(text.length),
        ...change,
      },
      body: `${text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`}0\r\nx-amz-checksum-crc32:${sum}\r\n\r\n`,
    })

    test.each(['hello', ''])('stores a chunked body (%j) only if its trailing checksum matches', async (text) => {
      const Bucket = await it.bucket()
      const send = (key: string, sum: string, change?: Record<string, string>) =>
        it.send(it.people.me, { method: 'PUT', path: `/${Bucket}/${key}`, ...inChunks(text, sum, change) })
      expect(await send('whole', base64Crc32(text))).toBe('200')
      expect(await read(Bucket, 'whole')).toBe(text)
      expect((await head(Bucket, 'whole')).ContentEncoding).toBeUndefined()
      expect(await send('torn', 'AAAAAQ==')).toBe('400 BadDigest')
      expect(await send('short', base64Crc32(text), { 'x-amz-decoded-content-length': '9' })).toBe('400 IncompleteBody')
      for (const key of ['torn', 'short']) expect(await codeOf(head(Bucket, key))).toBe('NotFound')
    })

    test('verifies a body against the checksum and hash in its headers', async () => {
      const Bucket = await it.bucket()
      const send = (key: string, headers: Record<string, string>) =>
        it.send(it.people.me, { method: 'PUT', path: `/${Bucket}/${key}`, headers, body: 'hello' })
      expect(await send('good', { 'x-amz-checksum-crc32': base64Crc32('hello') })).toBe('200')
      expect(await send('sum', { 'x-amz-checksum-crc32': base64Crc32('hellp') })).toBe('400 BadDigest')
      const hash = createHash('sha256').update('hellp').digest('hex')
      expect(await send('hash', { 'x-amz-content-sha256': hash })).toBe('400 XAmzContentSHA256Mismatch')
      expect(await send('md5', { 'content-md5': createHash('md5').update('hellp').digest('base64') })).toBe(
        '400 BadDigest',
      )
      for (const key of ['sum', 'hash', 'md5']) expect(await codeOf(head(Bucket, key))).toBe('NotFound')
    })

    test('streams a large object in both directions without sending a hash first', async () => {
      const Bucket = await it.bucket()
      const parts = Array.from({ length: 24 }, (_, at) => Buffer.alloc(MiB, `${at} `))
      await put(Bucket, 'large', Readable.from(parts), { ContentLength: parts.length * MiB })
      const { Body } = await it.mine.send(new GetObjectCommand({ Bucket, Key: 'large' }))
      const hash = createHash('sha256')
      for await (const part of Body as Readable) hash.update(part as Buffer)
      expect(hash.digest('hex')).toBe(createHash('sha256').update(Buffer.concat(parts)).digest('hex'))
    })
  })
}
