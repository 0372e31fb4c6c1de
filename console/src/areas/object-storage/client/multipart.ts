import { sendS3 } from './send'
import { s3Problem } from './problem'
import { childrenOf, decodedKey, escapeXml, parseXml, textOf } from './xml'

/** A part that has arrived. Numbers begin with 1. */
export interface Part {
  number: number
  etag: string
}

/** Begins an upload in parts. Gives back its id. */
export async function createMultipart(bucket: string, key: string, type: string, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': type }
  const reply = await sendS3({ verb: 'POST', bucket, key, query: { uploads: '' }, headers, signal })
  return textOf(parseXml(await reply.text()), 'UploadId')
}

/** Makes one object of the parts. */
export async function completeMultipart(
  bucket: string,
  key: string,
  uploadId: string,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<void> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`
  const headers = { 'content-type': 'application/xml' }
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
