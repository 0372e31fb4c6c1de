import type { IncomingHttpHeaders } from 'node:http'
import { S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import { attachmentHeader } from '../../http/streams'
import type { S3Address } from './address'

/** Headers of S3 beside those that begin with `x-amz-`. Cookies, tokens and what belongs to one connection are not among them. */
const sent = new Set([
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-md5'],
  // a policy is only looked at: without it the look would be the change
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
/** Those of a signature that is not taken over. */
const ofSignature = new Set(['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** How the body comes, as far as it can be sent on as it is: hashed as a whole, not at all, or in chunks without signatures. */
export function payloadOf(headers: IncomingHttpHeaders): string {
  const given = String(headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD)
  return isHash(given) || given.startsWith('STREAMING-') ? given : UNSIGNED_PAYLOAD
}

/** What of a request goes on to S3. */
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

/** What of an answer comes back. */
const answered = new Set([
  ...['accept-ranges', 'content-encoding', 'content-language', 'content-length', 'content-range', 'content-type'],
  ...['etag', 'expires', 'last-modified', 'retry-after'],
])

/** Types that run nothing, so that a browser may show them. A picture of the kind SVG is a page. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|text\/plain|(audio|video)\/[\w.+-]+)\s*(;|$)/i

/** Browsers show it by a viewer of their own, apart from the page: scripts in it reach nothing here. That viewer starts in no sandbox. */
const PDF = 'application/pdf'
const isPdf = (type: string): boolean => type.split(';')[0]!.trim().toLowerCase() === PDF

/** Nothing but the viewer: whatever a browser took it for, no script of it would run. */
const policyOfPdf = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/**
 * An answer of S3 as a browser may have it. What is stored was made by anybody and comes from the console's own address:
 * it runs no script, is taken for nothing but what it says, and is saved unless something safe is to be shown. A PDF that is to be shown
 * may stand in a frame of the console.
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
    // a viewer would fetch the rest by itself, and has no session
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
 * Whether a browser wants it as something that works for a page: a script, a style, a worker. A frame may have what is to be shown; the
 * answer says which it is.
 */
export const isForPage = ({ 'sec-fetch-dest': as }: IncomingHttpHeaders, isInline: boolean): boolean =>
  typeof as === 'string' && !asWhat.has(as) && !(isInline && as === 'iframe')
