import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { S3Error } from '@mainstay/engines/s3/errors'
import type { Act } from '../../audit/acts'
import { asProblem } from '../../http/problem-replies'
import type { S3Address } from '../../proxies/s3/address'
import { S3Refusal } from '../../proxies/s3/s3-refusal'
import type { Tools } from '../../tools'

/* Audit log entries for S3 calls below `/s3proxy/` that change something. */

/** A change made by a call. */
export interface S3Change {
  /** Name of the activity, such as `s3_object.create`. */
  action: string
  /** `bucket` or `bucket/key`. */
  name: string
  changes: AuditChange[]
}

/** Query parameters that select a part of a bucket's or object's configuration that can be set or deleted. */
const parts = new Set([
  ...['acl', 'cors', 'encryption', 'legal-hold', 'lifecycle', 'object-lock', 'ownershipControls', 'policy'],
  ...['publicAccessBlock', 'requestPayment', 'retention', 'tagging', 'versioning'],
])

const setting = (field: string, to: string | null): AuditChange => ({ field, from: null, to, is_secret: false })

/** Activity names for buckets and objects. */
const actions = {
  bucket: { PUT: 's3_bucket.create', DELETE: 's3_bucket.delete', POST: 's3_object.create', part: 's3_bucket.update' },
  object: { PUT: 's3_object.create', DELETE: 's3_object.delete', POST: 's3_object.create', part: 's3_object.update' },
} as const
const DELETE_MANY = 's3_object.deleteSeveral'
export const s3Activities = [
  ...new Set([...Object.values(actions.bucket), ...Object.values(actions.object), DELETE_MANY]),
]

const isChanging = (method: string): method is 'PUT' | 'POST' | 'DELETE' => ['PUT', 'POST', 'DELETE'].includes(method)

/**
 * Returns the change made by a call, or null if the call only reads or only validates a policy. For multipart uploads,
 * only the completion is a change: starting or aborting an upload and uploading parts are not.
 */
export function changeOf(
  method: string,
  { path, query }: Pick<S3Address, 'path' | 'query'>,
  headers: Readonly<Record<string, unknown>>,
): S3Change | null {
  if (!isChanging(method) || headers[S3_VALIDATE_HEADER] !== undefined) return null
  const [, bucket = '', ...key] = path.split('/').map(decodeURIComponent)
  if (bucket === '') return null
  const isObject = key.join('/') !== ''
  const name = isObject ? `${bucket}/${key.join('/')}` : bucket
  const has = (word: string) => query.some(([it]) => it === word)
  if (has('uploads') || (has('uploadId') && method !== 'POST')) return null
  if (!isObject && method === 'POST' && has('delete')) return { action: DELETE_MANY, name, changes: [] }
  const of = actions[isObject ? 'object' : 'bucket']
  const part = query.map(([it]) => it).find((it) => parts.has(it))
  if (part !== undefined) return { action: of.part, name, changes: [setting(part, method === 'DELETE' ? null : 'set')] }
  const version = query.find(([it]) => it === 'versionId')?.[1]
  const source = headers['x-amz-copy-source']
  return {
    ...{ action: of[method], name },
    changes: [
      ...(version === undefined ? [] : [setting('version_id', version)]),
      ...(typeof source === 'string' ? [setting('copy_source', source)] : []),
    ],
  }
}

/**
 * Maximum number of bytes in a response that are searched for errors. Enough for 1000 keys with an error message each.
 */
const MOST_LOOKED_AT = 8 * 1024 * 1024

export interface S3Act {
  run: Act['run']
  /** Completes the entry according to the response of S3. */
  ended(status: number, text: string): Promise<void>
  /** Passes the response through and completes the entry when the response ends. */
  watched(status: number, answer: Readable): Readable
  failed(error: unknown): Promise<void>
}

/**
 * Starts the audit log entry for a call that changes something. The embedded engine (`isHere`) writes the entry in the
 * same transaction as the change. A batch delete consists of several transactions, so its entry is written first.
 */
export function beginS3Act(
  request: FastifyRequest,
  change: S3Change,
  { audit, isHere }: Pick<Tools, 'audit'> & { isHere: boolean },
): S3Act {
  const caller = request.caller!
  const subject = { kind: null, id: null, name: change.name }
  const act = audit.begin({
    call: {
      ...{ action: change.action, scope: caller.scope, request_id: request.id, address: request.ip },
      ...{ session_id: caller.session_id, method: request.method, path: request.originalUrl.split('?')[0]! },
      started_at: new Date(),
    },
    ...{ status: 200, kind: null, subjectOf: () => subject, changes: () => change.changes },
    noteFirst: !isHere || change.action === DELETE_MANY,
  })
  const refused = (status: number, code: string, message: string | null) =>
    act.failed({ subject, result: 'error', status, error_code: code, message })
  /** S3 responds with 200 before all objects are deleted or copied, so errors are reported in the body. */
  async function ended(status: number, text: string): Promise<void> {
    const count = text.split('<Error>').length - 1
    if (status < 300 && count === 0) return act.done(null)
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? `HTTP ${status}`
    await refused(status, code, count > 1 ? `${count} objects were not changed` : null)
  }
  return {
    run: (work) => act.run(work),
    ended,
    watched: (status, answer) =>
      Readable.from(
        passing(answer, (text) => ended(status, text)),
        { objectMode: false, highWaterMark: 64 * 1024 },
      ),
    async failed(error) {
      const problem = error instanceof S3Refusal || error instanceof S3Error ? error : asProblem(error)
      await refused(problem?.status ?? 500, problem?.code ?? 'unknown', problem?.message ?? null)
    },
  }
}

/** Passes bytes through. When the stream ends or is cancelled, calls `over` with the bytes that were passed. */
async function* passing(answer: Readable, over: (text: string) => Promise<void>): AsyncGenerator<Buffer> {
  const seen: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= MOST_LOOKED_AT) seen.push(chunk)
      yield chunk
    }
  } finally {
    await over(Buffer.concat(seen).toString())
  }
}
