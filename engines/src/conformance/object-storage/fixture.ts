import { randomBytes } from 'node:crypto'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import type { NewS3Key } from '@mainstay/contract/object-storage/s3-keys'
import { afterAll, beforeAll, describe } from 'vitest'
import type { ObjectStoragePort, S3Owner } from '../../ports/object-storage'
import { suiteOf } from '../cloud'

/** Object storage of an engine, with a server before it. */
export interface ObjectStorageUnderTest {
  port: ObjectStoragePort
  /** Two people, each the only one of their domain that the suites work with. */
  people: { me: S3Owner; other: S3Owner }
  /** A client as the console's: through the server's proxy, by the session of a person. */
  console(owner: S3Owner): Promise<S3Client>
  /** A client of a program: by a key, at the address that is told to people. */
  program(key: Pick<NewS3Key, 'acc_key' | 'sec_key'>): Promise<S3Client>
  /** A request through the proxy as it is, with the session of a person. Answers status and code of S3. */
  send(owner: S3Owner, request: RawRequest): Promise<string>
  close(): Promise<void>
}

export interface RawRequest {
  method: string
  /** Bucket and key, encoded, with a slash before them. */
  path: string
  headers?: Record<string, string>
  body?: string
}

export type StartObjectStorage = () => Promise<ObjectStorageUnderTest>

export interface ObjectStorageFixture extends ObjectStorageUnderTest {
  /** The console's clients of the two people. */
  mine: S3Client
  others: S3Client
  /** A bucket of mine, whose name nobody has. */
  bucket(): Promise<string>
  newName(): string
}

/** A suite of object storage: `tests` are declared with a fixture that is there by the time they run. */
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

/** `good`, or the code by which a call of S3 is refused. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: Error) => error.name,
  )
