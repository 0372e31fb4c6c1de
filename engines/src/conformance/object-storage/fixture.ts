import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import type { NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { afterAll, beforeAll, describe } from 'vitest'
import type { ObjectStoragePort, S3Owner } from '../../ports/object-storage'
import { suiteOf } from '../cloud'

/** The object storage of an engine, behind a server. */
export interface ObjectStorageUnderTest {
  port: ObjectStoragePort
  /** Two users in separate domains. No other user of these domains takes part in the tests. */
  people: { me: S3Owner; other: S3Owner }
  /** An S3 client that acts like the console: through the proxy of the server, with the session of a user. */
  console(owner: S3Owner): Promise<S3Client>
  /** An S3 client that acts like a program: with a key, at the public endpoint. */
  program(key: Pick<NewS3Key, 'acc_key' | 'sec_key'>): Promise<S3Client>
  /**
   * Sends a raw request through the proxy with the session of a user. Returns the HTTP status and the S3 error code.
   */
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
  /** Clients of the two users, as the console has them. */
  mine: S3Client
  others: S3Client
  /** Creates a bucket of `me` with a unique name. */
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

/** Returns `good`, or the S3 error code of a refused call. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: Error) => error.name,
  )
