import type { IncomingMessage } from 'node:http'
import { S3Refusal } from './s3-refusal'

const MOST_BYTES = 64 * 1024
const EMPTY_TAG = /<ETag>\s*<\/ETag>|<ETag\s*\/>/

const isCompletion = (method: string, query: readonly (readonly [string, string])[]): boolean =>
  method === 'POST' && query.some(([name]) => name === 'uploadId')

/** Whether the response to the completion of a multipart upload may lack the object's ETag. */
export const mayLackUploadTag = (
  { tellsUploadTag }: { tellsUploadTag: boolean },
  { method, query, status }: { method: string; query: readonly (readonly [string, string])[]; status: number },
): boolean => !tellsUploadTag && status === 200 && isCompletion(method, query)

/**
 * The body of such a response. If the ETag is missing, it is added from `tagOf`, which returns null if it is unknown.
 */
export async function withUploadTag(response: IncomingMessage, tagOf: () => Promise<string | null>): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += part
    if (text.length > MOST_BYTES)
      throw new S3Refusal(503, 'ServiceUnavailable', 'The response of object storage is too large')
  }
  if (!EMPTY_TAG.test(text)) return text
  const tag = await tagOf()
  return tag === null ? text : text.replace(EMPTY_TAG, () => `<ETag>${tag.replaceAll('"', '&#34;')}</ETag>`)
}
