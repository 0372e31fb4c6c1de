import { asProblem, CallProblem, isCancelled } from '../../../api/problem'
import { abortMultipart, completeMultipart, createMultipart, type Part } from '../client/multipart'
import { faultText } from '../client/problem'
import { pause } from '../client/send'
import { sendBody, type SendOptions } from '../client/send-body'

const MiB = 1024 ** 2
/** From this size on a file goes in parts. */
export const MULTIPART_FROM_BYTES = 64 * MiB
const PART_BYTES = 16 * MiB
/** S3 takes 10 000 of them; some are left over. */
const MOST_PARTS = 9000
/** The most that S3 keeps as one object. */
const MOST_OBJECT_BYTES = 5 * 1024 ** 4
/** So often each part is tried. */
const TRIES = 4
const firstPauseMs = 1000

/** Bytes of each part but the last one. */
export const partBytes = (size: number): number => Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS / MiB) * MiB)

const isWorthAnother = ({ kind, status }: CallProblem) => kind === 'network' || status >= 500

/** Puts a file into a bucket, a large one in parts, each of which is tried again where the way to the server breaks. */
export async function putFile(bucket: string, key: string, file: File, options: SendOptions): Promise<void> {
  const type = file.type || 'application/octet-stream'
  if (file.size > MOST_OBJECT_BYTES) {
    const message = faultText('EntityTooLarge', '')
    throw new CallProblem({ kind: 'validation', status: 0, code: 'EntityTooLarge', message })
  }
  if (file.size < MULTIPART_FROM_BYTES)
    return void (await sendBody({ bucket, key, headers: { 'content-type': type }, body: file }, options))
  const uploadId = await createMultipart(bucket, key, type, options.signal)
  try {
    const parts = await putParts(bucket, key, file, uploadId, options)
    await completeMultipart(bucket, key, uploadId, parts, options.signal)
  } catch (thrown) {
    // the server would drop them by itself, days later
    abortMultipart(bucket, key, uploadId).catch(() => undefined)
    throw thrown
  }
}

async function putParts(bucket: string, key: string, file: File, uploadId: string, options: SendOptions) {
  const size = partBytes(file.size)
  const parts: Part[] = []
  for (let from = 0; from < file.size; from += size) {
    const number = parts.length + 1
    const sent = {
      ...{ bucket, key, body: file.slice(from, from + size) },
      query: { partNumber: String(number), uploadId },
    }
    const ofPart = { ...options, onProgress: (bytes: number) => options.onProgress(from + bytes) }
    parts.push({ number, etag: await tried(() => sendBody(sent, ofPart), options.signal) })
  }
  return parts
}

async function tried<Answer>(run: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (thrown) {
      if (isCancelled(thrown) || attempt >= TRIES || !isWorthAnother(asProblem(thrown))) throw thrown
      await pause(firstPauseMs * 2 ** (attempt - 1), signal)
    }
  }
}
