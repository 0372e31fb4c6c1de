import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'

/** What has tags: a bucket, an object, or one version of it. */
export interface Tagged {
  bucket: string
  key?: string
  version?: string | undefined
}

/** Keys of the query cache for what S3 itself told. */
export const s3Query = {
  buckets: () => ['s3', 'buckets'] as const,
  bucket: (bucket: string, what: string) => ['s3', 'bucket', bucket, what] as const,
  /** A folder, whatever its filter. */
  folder: (bucket: string, prefix?: string) =>
    ['s3', 'objects', bucket, ...(prefix === undefined ? [] : [prefix])] as const,
  /** Tags of a bucket, of an object, or of one version of it. */
  tags: ({ bucket, key, version }: Tagged) =>
    ['s3', 'tags', bucket, ...(key === undefined ? [] : [key]), ...(version === undefined ? [] : [version])] as const,
  object: (bucket: string, key: string, what = 'head') => ['s3', 'object', bucket, key, what] as const,
}

/** All that is kept of object storage, from S3 and of one's own user. */
export const isS3Query = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  queryKey[0] === 's3' || queryKey[2] === s3Keys.account.path
