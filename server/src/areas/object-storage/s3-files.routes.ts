import { notFound, Problem, fieldProblem, problem } from '@mainstay/contract/core/problems'
import {
  MOST_LINK_SECONDS,
  s3Archives,
  s3HeaderNames,
  s3Links,
  s3Metadata,
  type S3Link,
  type S3LinkDraft,
  type S3Metadata,
} from '@mainstay/contract/object-storage/s3-files'
import { presignLink } from '@mainstay/engines/s3/signature/sign'
import type * as z from 'zod'
import { serve, type CallRequest } from '../../http/serve'
import { encryptionIn, type ObjectName } from '../../proxies/s3/asked'
import { pathOf, type OwnS3 } from '../../proxies/s3/own-calls'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'
import { ownAccount } from './access.service'
import { createArchives } from './archives'
import { asked, ownS3Of } from './s3-on-behalf-of'

/** Returns the object that a request body names, for the audit log. */
function objectOf(body: unknown): string | null {
  const { bucket, key } = (body ?? {}) as Partial<ObjectName>
  return typeof bucket === 'string' && typeof key === 'string' ? `${bucket}/${key}` : null
}

// kept in memory, because only one process has object storage
const archives = createArchives()

export const s3ArchiveRoutes = serve(
  s3Archives,
  {
    create: ({ caller, body, request }, tools) =>
      asked(async () => archives.prepare(caller.user.id, await ownS3Of(tools, caller, request), body)),

    async download({ caller, params, request }, tools) {
      const s3 = await ownS3Of(tools, caller, request)
      const { bytes, size, name } = archives.fetch(caller.user.id, params.id, s3)
      request.signal.addEventListener('abort', () => bytes.destroy(), { once: true })
      return { bytes, sizeBytes: size, fileName: name, contentType: 'application/zip' }
    },
  },
  { about: 's3_archive' },
)

/**
 * Returns the number of seconds until a link expires. Throws a `validation` error if the time is in the past or too far
 * ahead.
 */
function secondsTo(expiresAt: string, now: Date): number {
  const seconds = Math.floor((Date.parse(expiresAt) - now.getTime()) / 1000)
  if (seconds < 1) throw fieldProblem('expires_at', 'objectStorage.link_time_past')
  if (seconds > MOST_LINK_SECONDS) throw fieldProblem('expires_at', 'objectStorage.link_too_long')
  return seconds
}

/**
 * Signs a link with one of the caller's keys. First checks that the caller can read the object, so that the link does
 * not grant more access than its owner has.
 */
async function sign(draft: z.output<typeof S3LinkDraft>, caller: SignedIn, tools: Tools, request: CallRequest) {
  const { bucket, key, acc_key, expires_at } = draft
  if (key.split('/').some((name) => name === '.' || name === '..'))
    throw fieldProblem('key', 'objectStorage.link_of_dots')
  // signatures have a resolution of one second
  const now = new Date(Math.floor(Date.now() / 1000) * 1000)
  const seconds = draft.seconds ?? secondsTo(expires_at!, now)
  const { storage, account } = await ownAccount(tools, caller)
  const { endpoint } = await storage.service()
  if (endpoint === null) throw problem('objectStorage.no_address')
  const signer = await storage.ownSigner(account.user_id, acc_key).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'not_found'
      ? fieldProblem('acc_key', 'objectStorage.choose_key')
      : error
  })
  const found = await (await ownS3Of(tools, caller, request)).head({ bucket, key })
  if (!found) throw notFound()
  return {
    url: presignLink(
      { endpoint, path: pathOf({ bucket, key }), region: storage.upstream()!.region },
      signer,
      seconds,
      now,
    ),
    expires_at: new Date(now.getTime() + seconds * 1000).toISOString(),
    size: found.size,
  } satisfies S3Link
}

export const s3LinkRoutes = serve(
  s3Links,
  { create: ({ caller, body, request }, tools) => asked(() => sign(body, caller, tools, request)) },
  { about: 's3_link', nameOf: objectOf },
)

const OWN = 'x-amz-meta-'

async function told(s3: OwnS3, name: ObjectName): Promise<S3Metadata> {
  const found = await s3.head(name)
  if (!found) throw notFound()
  const { etag, headers } = found
  return {
    etag,
    headers: Object.fromEntries(s3HeaderNames.map((it) => [it, headers[it] ?? ''])) as S3Metadata['headers'],
    metadata: Object.fromEntries(
      Object.entries(headers).flatMap(([it, value]) => (it.startsWith(OWN) ? [[it.slice(OWN.length), value]] : [])),
    ),
  }
}

export const s3MetadataRoutes = serve(
  s3Metadata,
  {
    view: ({ caller, query, request }, tools) => asked(async () => told(await ownS3Of(tools, caller, request), query)),

    update: ({ caller, body: { bucket, key, etag, headers, metadata }, request }, tools) =>
      asked(async () => {
        const s3 = await ownS3Of(tools, caller, request)
        const named = Object.entries(headers).filter(([, value]) => value !== '')
        const own = Object.entries(metadata).map(([name, value]) => [`${OWN}${name}`, value])
        const name = { bucket, key }
        const found = await s3.head(name)
        if (!found) throw notFound()
        const replaced = Object.fromEntries([...named, ...own]) as Record<string, string>
        const how = { overwrite: true, headers: replaced, encryption: encryptionIn(found.headers) }
        await s3.copy({ ...name, etag, size: found.size }, name, how)
        return told(s3, name)
      }),
  },
  { about: 's3_object', nameOf: objectOf },
)
