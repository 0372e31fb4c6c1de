import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'

/** A resource with tags: a bucket, an object, or an object version. */
export interface Tagged {
  bucket: string
  key?: string
  version?: string | undefined
}

/** Query cache keys for S3 responses. */
export const s3Query = {
  buckets: () => ['s3', 'buckets'] as const,
  bucket: (bucket: string, what: string) => ['s3', 'bucket', bucket, what] as const,
  /** Without `prefix`, matches the folder with any filter. */
  folder: (bucket: string, prefix?: string) =>
    ['s3', 'objects', bucket, ...(prefix === undefined ? [] : [prefix])] as const,
  /** Tags of a bucket, an object, or an object version. */
  tags: ({ bucket, key, version }: Tagged) =>
    ['s3', 'tags', bucket, ...(key === undefined ? [] : [key]), ...(version === undefined ? [] : [version])] as const,
  object: (bucket: string, key: string, what = 'head') => ['s3', 'object', bucket, key, what] as const,
}

/** Matches all cached object storage data: S3 responses and the user's own S3 account. */
export const isS3Query = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  queryKey[0] === 's3' || queryKey[2] === s3Keys.account.path
