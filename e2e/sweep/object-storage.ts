import { createHash } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import type { SweptPage } from './swept-page'

const bucket = 'swept-bucket'
const key = 'notes.txt'
const content = 'swept'
/** File ID in console URLs: the key in base64url. */
const fileId = Buffer.from(key).toString('base64url')
// S3 requires a signature; the proxy checks only the session
const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=session/20260101/us-east-1/s3/aws4_request' }

const etag = createHash('md5').update(content).digest('hex')
/** Words that do not appear in JSON responses: values from S3 responses, and the command that lists a bucket. */
export const objectStorageData = `${bucket} ${key} TXT text/plain ${content} ${etag} stage: swept aws s3 ls --endpoint-url`

/** Creates a bucket with a file for the pages that show one. */
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

/** Exceptions to the default sweep for object storage pages. */
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
  's3-service': { at: '/s3-service', action: 'Disable object storage', isForOperators: true },
}
