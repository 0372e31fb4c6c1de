import type { IncomingMessage } from 'node:http'
import { S3Refusal } from './s3-refusal'

const MOST_BYTES = 64 * 1024
const EMPTY_TAG = /<ETag>\s*<\/ETag>|<ETag\s*\/>/

const isCompletion = (method: string, query: readonly (readonly [string, string])[]): boolean =>
  method === 'POST' && query.some(([name]) => name === 'uploadId')

/** Whether an answer has to be looked at for the tag of an object that was put together of parts. */
export const mayLackUploadTag = (
  { tellsUploadTag }: { tellsUploadTag: boolean },
  { method, query, status }: { method: string; query: readonly (readonly [string, string])[]; status: number },
): boolean => !tellsUploadTag && status === 200 && isCompletion(method, query)

/** The text of such an answer, with the tag of the object where it lacks one. `tagOf` asks for it; null: it is not known. */
export async function withUploadTag(response: IncomingMessage, tagOf: () => Promise<string | null>): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += part
    if (text.length > MOST_BYTES) throw new S3Refusal(503, 'ServiceUnavailable', 'Object storage answers too much')
  }
  if (!EMPTY_TAG.test(text)) return text
  const tag = await tagOf()
  return tag === null ? text : text.replace(EMPTY_TAG, () => `<ETag>${tag.replaceAll('"', '&#34;')}</ETag>`)
}
