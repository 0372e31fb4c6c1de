import type { S3Error } from '../../errors'
import type { BucketSettings } from '../../store/bucket-settings'
import type { Bucket } from '../../store/types'
import { bucketFor } from '../access'
import { readText } from '../body'
import { answer, type Operation } from '../operations'
import { readXml, type XmlElement } from '../xml'
import { checkIfMatch, etagHeader } from './seen'

const MOST_DOCUMENT_BYTES = 64 * 1024

/** A bucket setting that is read, replaced and removed as one document. */
export interface DocumentSetting<Name extends keyof BucketSettings> {
  name: Name
  /** Suffix of the policy actions `s3:Get…` and `s3:Put…`. `s3:Put…` also allows removal. */
  action: string
  /** Returns the error for a request to read a setting that is not set. */
  missing: () => S3Error
  /** Throws an `S3Error` if the document is invalid. */
  read(document: XmlElement): NonNullable<BucketSettings[Name]>
  /** Throws an `S3Error` if the bucket's current state does not allow this value. */
  check?(bucket: Bucket, value: NonNullable<BucketSettings[Name]>): void
  write(value: NonNullable<BucketSettings[Name]>): string
}

/** Returns the GET, PUT and DELETE operations for a setting. `word`: its subresource in the query. */
export function settingCalls<Name extends keyof BucketSettings>(
  word: string,
  { name, action, missing, read, check, write }: DocumentSetting<Name>,
): Readonly<Record<string, Operation>> {
  return {
    async [`GET ${word}`](call, { buckets }) {
      const value = (await bucketFor(buckets, call, `s3:Get${action}`)).settings[name]
      if (value === undefined || value === null) throw missing()
      await answer(call, 200, etagHeader(value), write(value))
    },
    async [`PUT ${word}`](call, { buckets }) {
      const bucket = await bucketFor(buckets, call, `s3:Put${action}`)
      const value = read(readXml(await readText(call, MOST_DOCUMENT_BYTES)))
      await buckets.set(bucket, name, value, (held) => {
        checkIfMatch(call, held.settings[name])
        check?.(held, value)
      })
      await answer(call, 200, {})
    },
    async [`DELETE ${word}`](call, { buckets }) {
      const bucket = await bucketFor(buckets, call, `s3:Put${action}`)
      await buckets.set(bucket, name, null, ({ settings }) => checkIfMatch(call, settings[name]))
      await answer(call, 204, {})
    },
  }
}
