import type { IncomingHttpHeaders } from 'node:http'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import { attachmentHeader } from '../../http/streams'
import type { S3Address } from './address'

/** Request headers to forward in addition to `x-amz-*`. They include no cookies, tokens or hop-by-hop headers. */
const sent = new Set([
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-md5'],
  // without this header, validating a policy would also apply it
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
/** Headers that belong to the caller's signature, which is replaced. */
const ofSignature = new Set(['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** The payload hash to send: the hash of the whole body, or the value for an unsigned or chunked body. */
export function payloadOf(headers: IncomingHttpHeaders): string {
  const given = String(headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD)
  return isHash(given) || given.startsWith('STREAMING-') ? given : UNSIGNED_PAYLOAD
}

/** The request headers to forward to S3. */
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

/** Types without active content, which browsers may display. SVG is excluded because it can contain scripts. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|text\/plain|(audio|video)\/[\w.+-]+)\s*(;|$)/i

/** Browsers open PDFs in a built-in viewer, isolated from the page. The viewer does not start in a sandbox. */
const PDF = 'application/pdf'
const isPdf = (type: string): boolean => type.split(';')[0]!.trim().toLowerCase() === PDF

/** Allows nothing but the viewer. Even if a browser treated the file as a page, no scripts would run. */
const policyOfPdf = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/**
 * Makes an S3 response safe for a browser. Objects can come from anyone and are served from the console's own origin.
 * They therefore run no scripts, keep their declared type, and are downloaded unless the request was for safe inline
 * content. The console may show an inline PDF in a frame.
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
    // otherwise the viewer would request ranges itself, without the session
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
 * Whether a browser requests the object in order to use it in a page, as a script, style, worker or frame. Frames are
 * allowed for inline requests, because the response restricts what they can show.
 */
export const isForPage = ({ 'sec-fetch-dest': as }: IncomingHttpHeaders, isInline: boolean): boolean =>
  typeof as === 'string' && !asWhat.has(as) && !(isInline && as === 'iframe')
