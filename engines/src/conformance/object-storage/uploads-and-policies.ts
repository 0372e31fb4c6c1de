import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { expect, test } from 'vitest'
import { codeOf, describeObjectStorageSuite, type StartObjectStorage } from './fixture'

const MiB = 1024 ** 2
const Key = 'in parts'

/** Conformance tests for multipart uploads. */
export function describeS3Uploads(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 uploads in parts', start, (it) => {
    async function begin() {
      const Bucket = await it.bucket()
      const { UploadId } = await it.mine.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/x' }))
      const part = async (PartNumber: number, Body: Buffer) => {
        const { ETag } = await it.mine.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
        return { PartNumber, ETag }
      }
      const complete = (Parts: { PartNumber: number; ETag: string | undefined }[]) =>
        it.mine.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
      return { Bucket, UploadId, part, complete }
    }

    test('assembles parts into one object and returns its ETag', async () => {
      const { Bucket, UploadId, part, complete } = await begin()
      const [first, last] = [Buffer.alloc(5 * MiB, 'a'), Buffer.from('end')]
      const parts = [await part(1, first), await part(2, last)]
      const { Parts } = await it.mine.send(new ListPartsCommand({ Bucket, Key, UploadId }))
      expect(Parts!.map(({ Size }) => Size)).toEqual([5 * MiB, 3])
      const { ETag } = await complete(parts)
      expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
      const got = await it.mine.send(new GetObjectCommand({ Bucket, Key }))
      expect(got).toMatchObject({ ETag, ContentType: 'text/x', ContentLength: 5 * MiB + 3 })
      expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Buffer.concat([first, last]))).toBe(true)
    })

    test('refuses parts that are too small or missing, and creates no object', async () => {
      const small = await begin()
      const parts = [await small.part(1, Buffer.from('a')), await small.part(2, Buffer.from('b'))]
      expect(await codeOf(small.complete(parts))).toBe('EntityTooSmall')
      const torn = await begin()
      const { ETag } = await torn.part(1, Buffer.from('a'))
      expect(await codeOf(torn.complete([{ PartNumber: 2, ETag }]))).toBe('InvalidPart')
      for (const { Bucket } of [small, torn])
        expect(await codeOf(it.mine.send(new HeadObjectCommand({ Bucket, Key })))).toBe('NotFound')
    })

    test('aborting an upload removes it with its parts', async () => {
      const { Bucket, UploadId, part } = await begin()
      await part(1, Buffer.from('a'))
      const under = async () => (await it.mine.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
      expect(await under()).toMatchObject([{ Key, UploadId }])
      await it.mine.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      expect(await under()).toEqual([])
      const look = it.mine.send(new ListPartsCommand({ Bucket, Key, UploadId }))
      await expect(look).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
    })
  })
}

/** Conformance tests for bucket policies. */
export function describeS3Policies(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 policies', start, (it) => {
    async function policyFor(Bucket: string, more: object = {}) {
      const { arn } = (await it.port.account(it.people.other, true))!
      const Statement = [
        {
          ...{
            Effect: 'Allow',
            Principal: { AWS: [arn] },
            Action: 's3:GetObject',
            Resource: `arn:aws:s3:::${Bucket}/*`,
          },
          ...more,
        },
      ]
      return JSON.stringify({ Version: '2012-10-17', Statement })
    }

    test('a policy grants another user only the listed actions, until it is deleted', async () => {
      const Bucket = await it.bucket()
      await it.mine.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'shared' }))
      const read = () => codeOf(it.others.send(new GetObjectCommand({ Bucket, Key: 'a' })))
      expect(await read()).toBe('AccessDenied')
      const Policy = await policyFor(Bucket)
      await it.mine.send(new PutBucketPolicyCommand({ Bucket, Policy }))
      const kept = await it.mine.send(new GetBucketPolicyCommand({ Bucket }))
      expect(JSON.parse(kept.Policy!)).toEqual(JSON.parse(Policy))
      expect(await read()).toBe('good')
      const written = it.others.send(new PutObjectCommand({ Bucket, Key: 'b', Body: 'x' }))
      expect(await codeOf(written)).toBe('AccessDenied')
      await it.mine.send(new DeleteBucketPolicyCommand({ Bucket }))
      expect(await read()).toBe('AccessDenied')
      expect(await codeOf(it.mine.send(new GetBucketPolicyCommand({ Bucket })))).toBe('NoSuchBucketPolicy')
    })

    test('a deny statement refuses access', async () => {
      const Bucket = await it.bucket()
      await it.mine.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'kept' }))
      await it.mine.send(new PutBucketPolicyCommand({ Bucket, Policy: await policyFor(Bucket, { Effect: 'Deny' }) }))
      expect(await codeOf(it.others.send(new GetObjectCommand({ Bucket, Key: 'a' })))).toBe('AccessDenied')
    })

    test('refuses an invalid policy and keeps the previous one', async () => {
      const Bucket = await it.bucket()
      const Policy = await policyFor(Bucket)
      await it.mine.send(new PutBucketPolicyCommand({ Bucket, Policy }))
      const put = it.mine.send(new PutBucketPolicyCommand({ Bucket, Policy: '{"Statement": "nonsense"}' }))
      await expect(put).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } })
      const kept = await it.mine.send(new GetBucketPolicyCommand({ Bucket }))
      expect(JSON.parse(kept.Policy!)).toEqual(JSON.parse(Policy))
    })

    test('validates a policy without storing it', async () => {
      const Bucket = await it.bucket()
      const looked = await it.send(it.people.me, {
        ...{ method: 'PUT', path: `/${Bucket}?policy`, body: await policyFor(Bucket) },
        headers: { [S3_VALIDATE_HEADER]: 'true' },
      })
      const { policy_validation: canLook } = (await it.port.service()).capabilities
      expect(looked).toMatch(canLook ? /^20[04]$/ : /^501 NotImplemented$/)
      expect(await codeOf(it.mine.send(new GetBucketPolicyCommand({ Bucket })))).toBe('NoSuchBucketPolicy')
    })
  })
}
