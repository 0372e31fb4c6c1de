import type { IncomingMessage } from 'node:http'
import { s3HeaderNames } from '@mainstay/contract/object-storage/s3-files'
import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import type { Asked, CopyOptions, ObjectName } from './asked'
import { childrenOf, textOf } from './documents'
import { S3Refusal } from './s3-refusal'

/*
 * Objects larger than the limit for a single copy are copied in parts with a multipart upload. The copy appears only
 * when it is complete.
 */

/** Maximum size of a single copy, and size of a part, in bytes. Specs use lower values. */
export const copyLimits = { atOnce: 5 * 1024 ** 3, part: 256 * 1024 ** 2 }
const MOST_PARTS = 10_000

interface Calls {
  send(asked: Asked): Promise<IncomingMessage>
  sendAll(asked: Asked): Promise<Element | null>
  head(name: ObjectName): Promise<{ headers: Record<string, string> } | null>
  sourceOf(name: ObjectName): string
}

const isTold = (name: string) => (s3HeaderNames as readonly string[]).includes(name) || name.startsWith('x-amz-meta-')

/** Metadata to copy from the source. For a single copy, S3 does this automatically. */
async function keptOf({ head }: Calls, from: ObjectName): Promise<Record<string, string>> {
  const { headers = {} } = (await head(from)) ?? {}
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isTold(name)))
}

async function tagsOf({ sendAll }: Calls, from: ObjectName): Promise<Record<string, string>> {
  const [set] = childrenOf(await sendAll({ method: 'GET', ...from, query: { tagging: '' } }), 'TagSet')
  const tags = childrenOf(set ?? null, 'Tag').map((tag) => [textOf(tag, 'Key'), textOf(tag, 'Value')])
  return tags.length === 0 ? {} : { 'x-amz-tagging': new URLSearchParams(tags).toString() }
}

/**
 * Copies an object of `size` bytes in parts, provided that its ETag is still `etag`. Throws `PreconditionFailed` in the
 * same cases as a single copy. A copy that fails is aborted. If the server dies, the upload remains until incomplete
 * uploads are removed.
 */
export async function copyInParts(
  calls: Calls,
  from: ObjectName & { etag: string; size: number },
  to: ObjectName,
  { overwrite, headers: replaced, encryption }: CopyOptions,
): Promise<void> {
  const { send, sendAll, head, sourceOf } = calls
  const source = { bucket: from.bucket, key: from.key }
  // fail early; if the key is created during the copy, this is detected at the end
  if (!overwrite && (await head(to)))
    throw new S3Refusal(412, 'PreconditionFailed', 'An object with this key already exists')
  const kept = { ...(replaced ?? (await keptOf(calls, source))), ...(await tagsOf(calls, source)), ...encryption }
  const begun = await sendAll({ method: 'POST', ...to, query: { uploads: '' }, headers: kept, body: '' })
  const uploadId = textOf(begun, 'UploadId')
  const partBytes = Math.max(copyLimits.part, Math.ceil(from.size / MOST_PARTS))
  try {
    const parts: string[] = []
    for (let start = 0; start < from.size; start += partBytes) {
      const number = String(parts.length + 1)
      const range = `bytes=${start}-${Math.min(start + partBytes, from.size) - 1}`
      const headers = {
        ...{ 'x-amz-copy-source': sourceOf(source), 'x-amz-copy-source-if-match': `"${from.etag}"` },
        'x-amz-copy-source-range': range,
      }
      const root = await sendAll({ method: 'PUT', ...to, query: { partNumber: number, uploadId }, headers, body: '' })
      refuseError(root)
      parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(textOf(root, 'ETag'))}</ETag></Part>`)
    }
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
    const headers = { 'content-type': 'application/xml', ...(!overwrite && { 'if-none-match': '*' }) }
    refuseError(await sendAll({ method: 'POST', ...to, query: { uploadId }, headers, body }))
  } catch (error) {
    await send({ method: 'DELETE', ...to, query: { uploadId } }).then(
      (answer) => answer.resume(),
      () => undefined,
    )
    throw error
  }
}

/** Throws the error contained in a response that failed after its status 200 had been sent. */
export function refuseError(root: Element | null): void {
  if (root?.localName === 'Error') throw new S3Refusal(500, textOf(root, 'Code'), textOf(root, 'Message'))
}
