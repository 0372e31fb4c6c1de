import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { canonicalIdOf } from '@mainstay/engines/s3/accounts'
import { startS3, type S3Bench } from './clients/client'

/** `writer` is in the same domain as the owner, `other` in a different one. */
export type Person = 'owner' | 'writer' | 'other'

/** Object storage and its users. */
export interface S3People {
  bench: S3Bench
  clients: Record<Person, S3Client>
  ids: Record<Person, string>
  canonical(who: Person): string
}

export async function startPeople(): Promise<S3People> {
  const bench = await startS3()
  const [owner, writer, other] = [
    await bench.client('project-member'),
    await bench.client('project-admin'),
    await bench.client('other-member'),
  ]
  const ids = { owner: owner.userId, writer: writer.userId, other: other.userId }
  return {
    ...{ bench, ids },
    clients: { owner: owner.s3, writer: writer.s3, other: other.s3 },
    canonical: (who) => canonicalIdOf(ids[who]),
  }
}

/** Returns the S3 error code. */
export const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing went wrong',
    ({ name }: S3ServiceException) => name,
  )

/** A policy with these statements, each applying to the whole bucket by default. */
export const policyOf = (bucket: string, ...statements: object[]): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((it) => ({
      ...{ Effect: 'Allow', Principal: '*', Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`] },
      ...it,
    })),
  })
