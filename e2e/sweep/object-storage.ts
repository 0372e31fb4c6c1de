import { createHash } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import type { SweptPage } from './swept-page'

const bucket = 'swept-bucket'
const key = 'notes.txt'
const content = 'swept'
/** As the console writes the ids of files: base64url of the key. */
const fileId = Buffer.from(key).toString('base64url')
// S3 wants a signature; the proxy goes by the session
const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=session/20260101/us-east-1/s3/aws4_request' }

const etag = createHash('md5').update(content).digest('hex')
/** What S3 itself answers, which is no JSON, and the command that lists a bucket. */
export const objectStorageData = `${bucket} ${key} TXT text/plain ${content} ${etag} stage: swept aws s3 ls --endpoint-url`

/** A bucket with a file, for the pages that show one. */
export async function prepareObjectStorage(operator: APIRequestContext, tenant: APIRequestContext): Promise<void> {
  await operator.post(s3Service.create.path)
  await tenant.put(`${S3_PROXY_PATH}/${bucket}`, { headers })
  await tenant.put(`${S3_PROXY_PATH}/${bucket}/${key}`, {
    headers: { ...headers, 'content-type': 'text/plain', 'x-amz-tagging': 'stage=swept' },
    data: content,
  })
}

const buckets = 's3-storage/buckets'
const files = `${buckets}/files/$bucketName`

/** What is not ordinary of the pages of object storage. */
export const objectStoragePages: Readonly<Record<string, Partial<SweptPage>>> = {
  's3-storage': { at: '/s3-storage', action: 'Create bucket' },
  [buckets]: { at: `/${buckets}`, action: 'Create bucket' },
  [`${buckets}/add`]: { at: `/${buckets}/add`, action: 'Name' },
  [`${buckets}/$bucketName/{-$detailsTab}`]: { at: `/${buckets}/${bucket}/overview`, action: 'Open files' },
  [`${buckets}/$bucketName/bucket-policy/manage`]: {
    ...{ at: `/${buckets}/${bucket}/bucket-policy/manage`, action: 'Policy as JSON' },
  },
  [files]: { at: `/${buckets}/files/${bucket}`, action: 'Upload files' },
  [`${files}/add`]: { at: `/${buckets}/files/${bucket}/add`, action: 'Name' },
  [`${files}/$fileId`]: { at: `/${buckets}/files/${bucket}/${fileId}`, action: 'Close' },
  's3-storage/access': { at: '/s3-storage/access', action: 'Create key' },
  's3-storage/access/create-key': { at: '/s3-storage/access/create-key', action: 'Name' },
  's3-service': { at: '/s3-service', action: 'Take away', isForOperators: true },
}
