import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import type { NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { afterAll, beforeAll, describe } from 'vitest'
import type { ObjectStoragePort, S3Owner } from '../../ports/object-storage'
import { suiteOf } from '../cloud'

/** An engine's object storage, accessed through a server. */
export interface ObjectStorageUnderTest {
  port: ObjectStoragePort
  /** Two users in separate domains. The tests use no other users of these domains. */
  people: { me: S3Owner; other: S3Owner }
  /** Returns an S3 client that acts like the console: it uses the server's proxy with a user's session. */
  console(owner: S3Owner): Promise<S3Client>
  /** Returns an S3 client that acts like a program: it uses a key at the public endpoint. */
  program(key: Pick<NewS3Key, 'acc_key' | 'sec_key'>): Promise<S3Client>
  /** Sends a raw request through the proxy with a user's session. Returns the HTTP status and the S3 error code. */
  send(owner: S3Owner, request: RawRequest): Promise<string>
  close(): Promise<void>
}

export interface RawRequest {
  method: string
  /** `/bucket/key`, percent-encoded. */
  path: string
  headers?: Record<string, string>
  body?: string
}

export type StartObjectStorage = () => Promise<ObjectStorageUnderTest>

export interface ObjectStorageFixture extends ObjectStorageUnderTest {
  /** Console clients of the two users. */
  mine: S3Client
  others: S3Client
  /** Creates a bucket with a unique name, owned by `me`. */
  bucket(): Promise<string>
  newName(): string
}

/** Declares an object storage suite. `tests` receives a fixture that is filled before the tests run. */
export function describeObjectStorageSuite(
  title: string,
  start: StartObjectStorage,
  tests: (fixture: ObjectStorageFixture) => void,
): void {
  describe(suiteOf(title), () => {
    const fixture = {} as ObjectStorageFixture
    beforeAll(async () => {
      const opened = await start()
      const newName = () => `conformance-${randomBytes(6).toString('hex')}`
      const mine = await opened.console(opened.people.me)
      const others = await opened.console(opened.people.other)
      Object.assign(fixture, opened, {
        ...{ mine, others, newName },
        async bucket() {
          const Bucket = newName()
          await mine.send(new CreateBucketCommand({ Bucket }))
          return Bucket
        },
      })
    })
    afterAll(() => fixture.close?.())
    tests(fixture)
  })
}

/** Returns `good`, or the S3 error code if the call fails. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: Error) => error.name,
  )
