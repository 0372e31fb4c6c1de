import {
  DeleteBucketCorsCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { codeOf, describeObjectStorageSuite, type StartObjectStorage } from './fixture'

const Key = 'a file'

/** Conformance tests for bucket and object settings. */
export function describeS3Settings(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 settings', start, (it) => {
    const put = (Bucket: string, Body: string) => it.mine.send(new PutObjectCommand({ Bucket, Key, Body }))
    const text = async (Bucket: string, VersionId?: string) => {
      const { Body } = await it.mine.send(new GetObjectCommand({ Bucket, Key, VersionId }))
      return Body!.transformToString()
    }

    test('with versioning, reads and deletes individual versions, and restores a deleted file', async () => {
      const Bucket = await it.bucket()
      const state = async () => (await it.mine.send(new GetBucketVersioningCommand({ Bucket }))).Status
      expect(await state()).toBeUndefined()
      const turn = (Status: 'Enabled' | 'Suspended') =>
        it.mine.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
      await turn('Enabled')
      expect(await state()).toBe('Enabled')
      const first = (await put(Bucket, 'one')).VersionId
      await put(Bucket, 'two')
      expect([await text(Bucket), await text(Bucket, first)]).toEqual(['two', 'one'])
      const { DeleteMarker, VersionId: marker } = await it.mine.send(new DeleteObjectCommand({ Bucket, Key }))
      expect(DeleteMarker).toBe(true)
      expect(await codeOf(text(Bucket))).toBe('NoSuchKey')
      const { Versions, DeleteMarkers } = await it.mine.send(new ListObjectVersionsCommand({ Bucket }))
      expect(Versions!.map(({ IsLatest, Size }) => [IsLatest, Size])).toEqual([
        [false, 3],
        [false, 3],
      ])
      expect(DeleteMarkers).toMatchObject([{ Key, VersionId: marker, IsLatest: true }])
      await it.mine.send(new DeleteObjectCommand({ Bucket, Key, VersionId: marker }))
      expect(await text(Bucket)).toBe('two')
      await it.mine.send(new DeleteObjectCommand({ Bucket, Key, VersionId: first }))
      expect((await it.mine.send(new ListObjectVersionsCommand({ Bucket }))).Versions).toHaveLength(1)
      await turn('Suspended')
      expect(await state()).toBe('Suspended')
    })

    test('an access control list names the owner, and lets other users read public objects', async () => {
      const Bucket = await it.bucket()
      await put(Bucket, 'mine')
      const owned = await it.mine.send(new GetBucketAclCommand({ Bucket }))
      expect(owned.Grants!.map(({ Permission, Grantee }) => [Permission, Grantee!.ID])).toEqual([
        ['FULL_CONTROL', owned.Owner!.ID],
      ])
      const read = () => codeOf(it.others.send(new GetObjectCommand({ Bucket, Key })))
      expect(await read()).toBe('AccessDenied')
      await it.mine.send(new PutObjectAclCommand({ Bucket, Key, ACL: 'public-read' }))
      expect(await read()).toBe('good')
      const { Grants } = await it.mine.send(new GetObjectAclCommand({ Bucket, Key }))
      expect(new Set(Grants!.map(({ Permission }) => Permission))).toEqual(new Set(['FULL_CONTROL', 'READ']))
      await it.mine.send(new PutObjectAclCommand({ Bucket, Key, ACL: 'private' }))
      expect(await read()).toBe('AccessDenied')
      expect(await codeOf(it.others.send(new GetBucketAclCommand({ Bucket })))).toBe('AccessDenied')
    })

    test('sets, replaces and deletes the tags of an object', async () => {
      const Bucket = await it.bucket()
      await it.mine.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: 'stage=draft' }))
      const tags = async () => (await it.mine.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet
      expect(await tags()).toEqual([{ Key: 'stage', Value: 'draft' }])
      const set = (...names: string[]) =>
        it.mine.send(
          new PutObjectTaggingCommand({
            Bucket,
            Key,
            Tagging: { TagSet: names.map((name) => ({ Key: name, Value: 'x' })) },
          }),
        )
      await set('one', 'two')
      expect(new Set((await tags())!.map((tag) => tag.Key))).toEqual(new Set(['one', 'two']))
      const eleven = Array.from({ length: 11 }, (_, at) => `t${at}`)
      await expect(set(...eleven)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } })
      await it.mine.send(new DeleteObjectTaggingCommand({ Bucket, Key }))
      expect(await tags()).toEqual([])
    })

    test('stores CORS rules unchanged, and removes them', async () => {
      const Bucket = await it.bucket()
      const read = () => it.mine.send(new GetBucketCorsCommand({ Bucket }))
      expect(await codeOf(read())).toBe('NoSuchCORSConfiguration')
      const rule = {
        ...{ AllowedMethods: ['GET', 'PUT'], AllowedOrigins: ['https://shop.example'], AllowedHeaders: ['*'] },
        ...{ ExposeHeaders: ['etag'], MaxAgeSeconds: 600 },
      }
      await it.mine.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }))
      const [kept] = (await read()).CORSRules!
      expect({ ...kept, AllowedMethods: kept!.AllowedMethods!.toSorted() }).toMatchObject(rule)
      await it.mine.send(new DeleteBucketCorsCommand({ Bucket }))
      expect(await codeOf(read())).toBe('NoSuchCORSConfiguration')
    })

    test('stores lifecycle rules unchanged, and removes them', async () => {
      const Bucket = await it.bucket()
      const read = () => it.mine.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
      expect(await codeOf(read())).toBe('NoSuchLifecycleConfiguration')
      const Rules = [
        { ID: 'logs', Status: 'Enabled' as const, Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 } },
        {
          ...{ ID: 'uploads', Status: 'Disabled' as const, Filter: { Prefix: '' } },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 3 },
        },
      ]
      const LifecycleConfiguration = { Rules }
      await it.mine.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
      const kept = (await read()).Rules!.toSorted((a, b) => (a.ID! < b.ID! ? -1 : 1))
      expect(kept.map(({ ID, Status }) => [ID, Status])).toEqual([
        ['logs', 'Enabled'],
        ['uploads', 'Disabled'],
      ])
      expect(kept[0]!.Expiration).toMatchObject({ Days: 30 })
      expect(kept[1]!.AbortIncompleteMultipartUpload).toEqual({ DaysAfterInitiation: 3 })
      await it.mine.send(new DeleteBucketLifecycleCommand({ Bucket }))
      expect(await codeOf(read())).toBe('NoSuchLifecycleConfiguration')
    })
  })
}
