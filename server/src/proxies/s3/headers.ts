import type { IncomingHttpHeaders } from 'node:http'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import { attachmentHeader } from '../../http/streams'
import type { S3Address } from './address'

/** Request headers to forward in addition to `x-amz-*`. Excludes cookies, tokens and hop-by-hop headers. */
const sent = new Set([
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-md5'],
  // without this header, validating a policy would apply it
  S3_VALIDATE_HEADER,
  ...[
    'content-type',
    'expires',
    'if-match',
    'if-modified-since',
    'if-none-match',
    'if-range',
    'if-unmodified-since',
    'range',
  ],
])
/** Headers of the caller's signature, which is replaced. */
const ofSignature = new Set(['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** The payload hash to send: a hash of the whole body, unsigned, or unsigned chunks. */
export function payloadOf(headers: IncomingHttpHeaders): string {
  const given = String(headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD)
  return isHash(given) || given.startsWith('STREAMING-') ? given : UNSIGNED_PAYLOAD
}

/** The headers of a request to forward to S3. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  address: Pick<S3Address, 'headers'>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...headers, ...address.headers })) {
    if (typeof value !== 'string' || ofSignature.has(name)) continue
    if (sent.has(name) || name.startsWith('x-amz-')) kept[name] = value
  }
  return kept
}

/** Response headers to return in addition to `x-amz-*`. */
const answered = new Set([
  ...['accept-ranges', 'content-encoding', 'content-language', 'content-length', 'content-range', 'content-type'],
  ...['etag', 'expires', 'last-modified', 'retry-after'],
])

/** Types without active content, which browsers may display. SVG is excluded, because it can contain scripts. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|text\/plain|(audio|video)\/[\w.+-]+)\s*(;|$)/i

/** Browsers open PDFs in their own viewer, isolated from the page. The viewer does not start in a sandbox. */
const PDF = 'application/pdf'
const isPdf = (type: string): boolean => type.split(';')[0]!.trim().toLowerCase() === PDF

/** Allows only the viewer: even if the browser treated the file as a page, no script would run. */
const policyOfPdf = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/**
 * Makes an S3 response safe for a browser. Objects may come from anyone and are served from the console's own origin,
 * so they run no scripts, keep their declared type and are downloaded unless safe inline content was requested. An
 * inline PDF may be framed by the console.
 */
export function answerHeaders(
  headers: IncomingHttpHeaders,
  { fileName, isInline }: Pick<S3Address, 'fileName' | 'isInline'>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && (answered.has(name) || name.startsWith('x-amz-'))) kept[name] = value
  const { 'content-disposition': disposition, 'content-type': type = '' } = headers
  const isFramed = isInline && isPdf(type)
  const isShown = isFramed || (isInline && shown.test(type))
  if (fileName !== null && !isShown)
    kept['content-disposition'] =
      disposition !== undefined && /^attachment\b/i.test(disposition) ? disposition : attachmentHeader(fileName)
  if (isFramed) {
    kept['content-type'] = PDF
    // the viewer would fetch further ranges on its own, without the session
    delete kept['accept-ranges']
  }
  return {
    ...kept,
    'cache-control': 'private, no-cache',
    'content-security-policy': isFramed ? policyOfPdf : "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    vary: 'X-Auth-Token, Cookie',
    'x-content-type-options': 'nosniff',
  }
}

const asWhat = new Set(['empty', 'document', 'image', 'audio', 'video'])

/**
 * Whether a browser requests the object for use in a page: as a script, style, worker or frame. Frames are allowed for
 * inline requests; the response decides what they may show.
 */
export const isForPage = ({ 'sec-fetch-dest': as }: IncomingHttpHeaders, isInline: boolean): boolean =>
  typeof as === 'string' && !asWhat.has(as) && !(isInline && as === 'iframe')
