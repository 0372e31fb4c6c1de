import { asProblem, CallProblem, isCancelled } from '../../../api/problem'
import {
  checksumHeader,
  completeMultipart,
  createMultipart,
  listParts,
  onlyIfNew,
  type Part,
} from '../client/multipart'
import { faultText } from '../client/problem'
import { pause } from '../client/send'
import { sendBody, type SendOptions } from '../client/send-body'
import { checksumOf } from './checksum'
import { bytesOfParts, MOST_OBJECT_BYTES, MULTIPART_FROM_BYTES, partRanges } from './parts'
import type { UploadRecord } from './records'

/** So often each part is tried: half a minute, in which a server is restarted. */
const TRIES = 6
const firstPauseMs = 1000

/** How far a file is, in bytes. */
export interface PutProgress {
  /** What the server has. Of a file in one piece: what has left the page. */
  doneBytes: number
  /** What has left the page, with the part on its way. */
  goneBytes: number
  /** The part on its way; null for a file in one piece. */
  part: { number: number; of: number } | null
}

export interface PutOptions extends Omit<SendOptions, 'onProgress'> {
  onProgress: (progress: PutProgress) => void
  /** Keeps what has changed of the record; answers when it is kept. */
  save: (change: Partial<UploadRecord>) => Promise<unknown>
}

const isWorthAnother = ({ kind, status, code }: CallProblem) =>
  // what has stalled has had its time; what came torn is sent again
  (kind === 'network' && code !== 'stalled') || status >= 500 || code === 'BadDigest' || code === 'IncompleteBody'

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

/** Whether the server has ended an upload, or dropped it. */
export const isEnded = (thrown: unknown): boolean => asProblem(thrown).code === 'NoSuchUpload'

/** Whether there is an object of the key, which a write was not to replace. */
export const isTaken = (thrown: unknown): boolean => asProblem(thrown).status === 412

const conditionOf = ({ ifExists }: Pick<UploadRecord, 'ifExists'>) => (ifExists === 'replace' ? {} : onlyIfNew)

/**
 * Puts a file into a bucket, in the place of another only where its record says so (`isTaken`). A large one goes in parts, each with its checksum and tried again where the way to the server breaks; one that
 * was begun before goes on with the parts that are missing.
 */
export async function putFile(record: UploadRecord, file: File, options: PutOptions): Promise<void> {
  if (file.size > MOST_OBJECT_BYTES) {
    const message = faultText('EntityTooLarge', '')
    throw new CallProblem({ kind: 'validation', status: 0, code: 'EntityTooLarge', message })
  }
  const type = file.type || 'application/octet-stream'
  if (file.size < MULTIPART_FROM_BYTES) return putWhole(record, file, type, options)
  const { bucket, key } = record
  const { signal, save } = options
  let uploadId = record.uploadId
  if (uploadId === null) {
    uploadId = await createMultipart(bucket, key, type, signal)
    await save({ uploadId, parts: [], begunAt: Date.now() })
  }
  const begun = { ...record, uploadId }
  const there = record.uploadId === null ? [] : await tried(() => partsAtServer(begun, signal), signal)
  const parts = await putParts(begun, file, there, options)
  await tried(() => completeMultipart(bucket, key, uploadId, parts, signal, conditionOf(record)), signal)
}

async function putWhole(record: UploadRecord, file: File, type: string, options: PutOptions) {
  const { bucket, key } = record
  const headers = { 'content-type': type, ...conditionOf(record), ...checksumHeader(await checksumOf(file)) }
  const onProgress = (gone: number) => options.onProgress({ doneBytes: gone, goneBytes: gone, part: null })
  await sendBody({ bucket, key, headers, body: file }, { ...options, onProgress })
}

type Begun = UploadRecord & { uploadId: string }

/**
 * Parts of an upload that the server has, whatever the record says. One whose last answer was lost may be an object by now, and has none:
 * its parts are those of the record.
 */
export async function partsAtServer(record: Begun, signal?: AbortSignal): Promise<readonly Part[]> {
  const { bucket, key, uploadId, size, partBytes, parts } = record
  const ranges = partRanges(size, partBytes)
  const isWhole = parts.length === ranges.length
  try {
    const listed = await listParts(bucket, key, uploadId, signal)
    if (listed.length === 0 && isWhole) return parts
    const there = new Map(listed.map((part) => [part.number, part]))
    return ranges.flatMap(({ number, from, to }) => {
      const part = there.get(number)
      return part && part.crc !== '' && part.size === to - from ? [{ number, etag: part.etag, crc: part.crc }] : []
    })
  } catch (thrown) {
    if (isWhole && isEnded(thrown)) return parts
    throw thrown
  }
}

async function putParts(record: Begun, file: File, there: readonly Part[], options: PutOptions) {
  const { bucket, key, uploadId, size, partBytes } = record
  const { signal, save } = options
  const ranges = partRanges(size, partBytes)
  let parts = there
  let doneBytes = bytesOfParts(size, partBytes, parts)
  for (const { number, from, to } of ranges) {
    if (there.some((it) => it.number === number)) continue
    const part = { number, of: ranges.length }
    options.onProgress({ doneBytes, goneBytes: doneBytes, part })
    const body = file.slice(from, to)
    const crc = await checksumOf(body)
    const sent = { bucket, key, body, query: { partNumber: String(number), uploadId }, headers: checksumHeader(crc) }
    const onProgress = (gone: number) => options.onProgress({ doneBytes, goneBytes: doneBytes + gone, part })
    const etag = await tried(() => sendBody(sent, { ...options, onProgress }), signal)
    parts = [...parts, { number, etag, crc }].toSorted((one, other) => one.number - other.number)
    await save({ parts })
    doneBytes += to - from
    options.onProgress({ doneBytes, goneBytes: doneBytes, part })
  }
  return parts
}
