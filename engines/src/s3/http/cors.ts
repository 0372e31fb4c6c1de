import type { ServerResponse } from 'node:http'
import { S3Error } from '../errors'
import type { CorsRule } from '../store/bucket-settings'
import type { Buckets } from '../store/buckets'
import type { S3Call } from './call'

/* CORS: responds to preflight requests and adds CORS headers to responses. */

type Asked = Pick<S3Call, 'bucket' | 'headers'>

/** Whether a text matches a pattern with at most one `*` wildcard. */
function isLikePattern(text: string, pattern: string): boolean {
  const at = pattern.indexOf('*')
  if (at < 0) return text === pattern
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)]
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
}

interface Question {
  origin: string
  method: string
  /** Lower-case names of the requested headers; empty for the actual request after a preflight, as in S3. */
  headers: readonly string[]
}

/** Maximum number of headers named in a preflight request. */
const MOST_ASKED = 100

/**
 * Whether a rule allows all of the headers. Exact names are looked up in a set; only patterns are compared one by one.
 */
function allowsAll({ headers: allowed }: CorsRule, headers: readonly string[]): boolean {
  if (headers.length === 0) return true
  const names = new Set(allowed.map((it) => it.toLowerCase()))
  const patterns = [...names].filter((it) => it.includes('*'))
  return headers.every((name) => names.has(name) || patterns.some((it) => isLikePattern(name, it)))
}

const ruleFor = (rules: readonly CorsRule[], { origin, method, headers }: Question): CorsRule | undefined =>
  rules.find(
    (rule) =>
      rule.methods.includes(method) && rule.origins.some((it) => isLikePattern(origin, it)) && allowsAll(rule, headers),
  )

/** If the rule allows any origin, the response header is `*`, which makes browsers block requests with credentials. */
function headersOf(rule: CorsRule, { origin, headers }: Question): Record<string, string> {
  const isAny = rule.origins.find((it) => isLikePattern(origin, it)) === '*'
  return {
    'access-control-allow-origin': isAny ? '*' : origin,
    ...(!isAny && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-methods': rule.methods.join(', '),
    ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAgeSeconds !== undefined && { 'access-control-max-age': String(rule.maxAgeSeconds) }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

const rulesOf = async (buckets: Buckets, name: string | null): Promise<readonly CorsRule[]> =>
  (name === null ? null : await buckets.find(name))?.settings.cors ?? []

const forbidden = (message: string) => new S3Error('AccessForbidden', `CORSResponse: ${message}`)

/** Responds to a preflight request, which is never signed. Throws if no rule allows the actual request. */
export async function answerPreflight(call: Asked, buckets: Buckets, response: ServerResponse): Promise<void> {
  const { origin, ...headers } = call.headers
  if (origin === undefined) throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  const method = headers['access-control-request-method']
  if (method === undefined) throw new S3Error('BadRequest', 'Invalid Access-Control-Request-Method: null')
  const wanted = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (wanted.length > MOST_ASKED)
    throw forbidden(`Access-Control-Request-Headers names more than ${MOST_ASKED} headers.`)
  const rules = await rulesOf(buckets, call.bucket)
  if (rules.length === 0) throw forbidden('CORS is not enabled for this bucket.')
  const question = { origin, method, headers: wanted }
  const rule = ruleFor(rules, question)
  if (!rule)
    throw forbidden(
      'This CORS request is not allowed. This is usually because the evalution of Origin, request method / ' +
        "Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
    )
  response.writeHead(200, { ...headersOf(rule, question), 'content-length': 0 })
  response.end()
}

/** Sets the CORS headers on a response if a rule allows the request. */
export async function setCorsHeaders(
  call: Asked & { method: string },
  buckets: Buckets,
  response: ServerResponse,
): Promise<void> {
  const { origin } = call.headers
  if (origin === undefined) return
  const question = { origin, method: call.headers['access-control-request-method'] ?? call.method, headers: [] }
  const rule = ruleFor(await rulesOf(buckets, call.bucket), question)
  if (!rule) return
  for (const [name, value] of Object.entries(headersOf(rule, question))) response.setHeader(name, value)
}
