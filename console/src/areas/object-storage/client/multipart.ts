import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { sendS3 } from './send'
import { s3Problem } from './problem'
import { childrenOf, decodedKey, parseXml, textOf } from './xml'

/** An uploaded part. Numbers start at 1. */
export interface Part {
  number: number
  etag: string
  /** CRC-64/NVME checksum of the part, base64-encoded. */
  crc: string
}

/** Checksum header for a request body. S3 rejects a body that does not match (`BadDigest`). */
export const checksumHeader = (crc: string): Record<string, string> => ({ 'x-amz-checksum-crc64nvme': crc })

/** Starts a multipart upload with a checksum per part. Returns its ID. */
export async function createMultipart(bucket: string, key: string, type: string, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': type, 'x-amz-checksum-algorithm': 'CRC64NVME' }
  const reply = await sendS3({ verb: 'POST', bucket, key, query: { uploads: '' }, headers, signal })
  return textOf(parseXml(await reply.text()), 'UploadId')
}

/** A part as listed by the server. Size in bytes; `crc` is empty if the server has none. */
export interface ListedPart extends Part {
  size: number
}

/** Lists the uploaded parts in order. Rejects with `NoSuchUpload` if the upload no longer exists. */
export async function listParts(
  bucket: string,
  key: string,
  uploadId: string,
  signal?: AbortSignal,
): Promise<ListedPart[]> {
  const found: ListedPart[] = []
  for (let after = ''; ;) {
    const query = { uploadId, ...(after && { 'part-number-marker': after }) }
    const root = parseXml(await (await sendS3({ verb: 'GET', bucket, key, query, signal })).text())
    for (const part of childrenOf(root, 'Part'))
      found.push({
        number: Number(textOf(part, 'PartNumber')),
        etag: textOf(part, 'ETag'),
        crc: textOf(part, 'ChecksumCRC64NVME'),
        size: Number(textOf(part, 'Size')),
      })
    const next = textOf(root, 'NextPartNumberMarker')
    if (textOf(root, 'IsTruncated') !== 'true' || next === '' || next === after) return found
    after = next
  }
}

/** Headers for a conditional write, which S3 rejects (`PreconditionFailed`) if the key already exists. */
export const onlyIfNew = { 'if-none-match': '*' } as const

/** Combines the parts into one object. Idempotent: repeating the request returns the same response. */
export async function completeMultipart(
  bucket: string,
  key: string,
  uploadId: string,
  parts: readonly Part[],
  signal: AbortSignal,
  condition: Readonly<Record<string, string>> = {},
): Promise<void> {
  const list = parts.map(
    ({ number, etag, crc }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag>` +
      `<ChecksumCRC64NVME>${escapeXml(crc)}</ChecksumCRC64NVME></Part>`,
  )
  const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`
  const headers = { 'content-type': 'application/xml', ...condition }
  const reply = await sendS3({ verb: 'POST', bucket, key, query: { uploadId }, body, headers, signal })
  const text = await reply.text()
  // S3 sends the status before it combines the parts, so a 200 response may contain an error
  if (parseXml(text)?.localName === 'Error') throw s3Problem(500, text)
}

/** Aborts a multipart upload and deletes its parts. */
export const abortMultipart = (bucket: string, key: string, uploadId: string) =>
  sendS3({ verb: 'DELETE', bucket, key, query: { uploadId } })

/** Lists up to 1000 incomplete multipart uploads. */
export async function listMultiparts(
  bucket: string,
  signal: AbortSignal,
): Promise<{ key: string; uploadId: string }[]> {
  const query = { uploads: '', 'encoding-type': 'url' }
  const root = parseXml(await (await sendS3({ verb: 'GET', bucket, query, signal })).text())
  return childrenOf(root, 'Upload').map((upload) => ({
    key: decodedKey(textOf(upload, 'Key')),
    uploadId: textOf(upload, 'UploadId'),
  }))
}

/** Aborts all multipart uploads in a bucket, which cannot be deleted while it has any. */
export async function abortMultiparts(bucket: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const found = await listMultiparts(bucket, signal)
    for (const { key, uploadId } of found) {
      signal.throwIfAborted()
      await abortMultipart(bucket, key, uploadId)
    }
    if (found.length === 0) return
  }
}
