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

/** Attempts per part. They span about half a minute, which is long enough for a server restart. */
const TRIES = 6
const firstPauseMs = 1000

/** Upload progress in bytes. */
export interface PutProgress {
  /** Bytes stored on the server or, for an upload in one request, the bytes sent. */
  doneBytes: number
  /** Bytes sent, including the current part. */
  goneBytes: number
  /** The current part; null for an upload in one request. */
  part: { number: number; of: number } | null
}

export interface PutOptions extends Omit<SendOptions, 'onProgress'> {
  onProgress: (progress: PutProgress) => void
  /** Saves changes to the record; resolves when they are stored. */
  save: (change: Partial<UploadRecord>) => Promise<unknown>
}

const isWorthAnother = ({ kind, status, code }: CallProblem) =>
  // a stalled request has already waited long enough; a corrupted part should be sent again
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

/** Whether the upload no longer exists on the server. */
export const isEnded = (thrown: unknown): boolean => asProblem(thrown).code === 'NoSuchUpload'

/** Whether a conditional write failed because the key already exists. */
export const isTaken = (thrown: unknown): boolean => asProblem(thrown).status === 412

const conditionOf = ({ ifExists }: Pick<UploadRecord, 'ifExists'>) => (ifExists === 'replace' ? {} : onlyIfNew)

/**
 * Uploads a file. Overwrites an existing object only if the record says so; otherwise the write is rejected
 * (`isTaken`). Large files are sent in parts, each with a checksum and retries; a resumed upload sends only the missing
 * parts.
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
 * Returns the parts stored on the server. If the response to the completion request was lost, the upload may already be
 * an object and have no parts; in that case, returns the parts from the record.
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
