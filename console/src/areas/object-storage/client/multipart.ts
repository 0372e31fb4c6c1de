import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { sendS3 } from './send'
import { s3Problem } from './problem'
import { childrenOf, decodedKey, parseXml, textOf } from './xml'

/** A part that has arrived. Numbers begin with 1. */
export interface Part {
  number: number
  etag: string
  /** CRC-64/NVME, base64. */
  crc: string
}

/** The header that says what the checksum of a body is: what came otherwise is refused (`BadDigest`). */
export const checksumHeader = (crc: string): Record<string, string> => ({ 'x-amz-checksum-crc64nvme': crc })

/** Begins an upload in parts, each of which has a checksum. Gives back its id. */
export async function createMultipart(bucket: string, key: string, type: string, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': type, 'x-amz-checksum-algorithm': 'CRC64NVME' }
  const reply = await sendS3({ verb: 'POST', bucket, key, query: { uploads: '' }, headers, signal })
  return textOf(parseXml(await reply.text()), 'UploadId')
}

/** What the server has of a part. Size in bytes; `crc` is '' where it has none. */
export interface ListedPart extends Part {
  size: number
}

/** All parts that have arrived, by number. Rejects with `NoSuchUpload` for an upload that has ended. */
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

/** For a write that must not replace anything: it is refused (`PreconditionFailed`) where there is an object of the key. */
export const onlyIfNew = { 'if-none-match': '*' } as const

/** Makes one object of the parts. The same question may be asked again: the answer is the same. */
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
  // putting it together takes long, so a failure may come after a good status
  if (parseXml(text)?.localName === 'Error') throw s3Problem(500, text)
}

/** Gives up an upload: its parts are dropped. */
export const abortMultipart = (bucket: string, key: string, uploadId: string) =>
  sendS3({ verb: 'DELETE', bucket, key, query: { uploadId } })

/** Uploads in parts that nobody has finished, up to a thousand. */
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

/** Gives up all uploads of a bucket, which is not empty while there are some. */
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
