import type { Said } from '@mainstay/contract/core/said'

/**
 * Categories of failed calls, as in the error catalogue (S1§8). `cancelled` is not shown as an error, because the user
 * requested the cancellation.
 */
export type ProblemKind =
  | 'cancelled'
  | 'network'
  | 'unreadable'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'validation'
  | 'server'

interface Details {
  kind: ProblemKind
  status: number
  code: string
  message: string
  fields?: Readonly<Record<string, readonly string[]>>
  data?: Readonly<Record<string, unknown>>
  said?: Said | null
  fieldsSaid?: Readonly<Record<string, readonly Said[]>>
  requestId?: string | undefined
  /** Delay before a retry, if the server specifies one. */
  retryAfterSeconds?: number | undefined
}

/** Texts that do not come from the server. They are shown in the page's language; see problem-text.ts. */
export const fixedMessages = {
  network: 'The server cannot be reached',
  unreadable: 'Can not parse payload. Expected JSON',
  'not-found': 'Object you are referring to is not found',
  server: 'Internal Server Error. Please contact your system administrator.',
} as const

/** A call that failed. */
export class CallProblem extends Error implements Details {
  readonly kind: ProblemKind
  readonly status: number
  readonly code: string
  /** Messages by field, keyed by the dotted path in the request body. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly data: Readonly<Record<string, unknown>>
  /** Key of the message, for translation; null if the server sent none. */
  readonly said: Said | null
  /** Keys of the messages in `fields`, for translation. */
  readonly fieldsSaid: Readonly<Record<string, readonly Said[]>>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ kind, status, code, message, requestId, retryAfterSeconds, ...more }: Details) {
    super(message)
    this.name = 'CallProblem'
    this.kind = kind
    this.status = status
    this.code = code
    this.fields = more.fields ?? {}
    this.data = more.data ?? {}
    this.said = more.said ?? null
    this.fieldsSaid = more.fieldsSaid ?? {}
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** The server is overloaded: the same call can succeed later. */
  get isBusy(): boolean {
    return this.code === 'too_many_requests' || this.code === 'server_busy'
  }
}

export const cancelled = () =>
  new CallProblem({ kind: 'cancelled', status: 0, code: 'cancelled', message: 'The call was cancelled' })

export const unreachable = () =>
  new CallProblem({ kind: 'network', status: 0, code: 'network', message: fixedMessages.network })

export const unreadable = (status: number) =>
  new CallProblem({ kind: 'unreadable', status, code: 'unreadable_reply', message: fixedMessages.unreadable })

function kindOf(status: number): ProblemKind {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not-found'
  return status >= 500 ? 'server' : 'validation'
}

const plain = (message: unknown) =>
  typeof message === 'string' ? message.replaceAll('(Deprecated field)', '').replace(/ {2,}/g, ' ').trim() : ''

const record = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

function fieldsOf(value: unknown): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const [name, messages] of Object.entries(record(value))) {
    const texts = (Array.isArray(messages) ? messages : [messages]).map(plain).filter(Boolean)
    if (texts.length > 0) fields[name] = texts
  }
  return fields
}

const isSaid = (value: unknown): value is Said =>
  typeof record(value)['key'] === 'string' && typeof record(value)['values'] === 'object'
const saidOf = (value: unknown): Said | null => (isSaid(value) ? value : null)
const fieldsSaidOf = (value: unknown): Record<string, Said[]> =>
  Object.fromEntries(
    Object.entries(record(value)).map(([name, all]) => [name, Array.isArray(all) ? all.filter(isSaid) : []]),
  )

/** Codes of 5xx responses whose message is shown to users; other internal errors get a fixed text. */
const spoken = ['engine_unavailable', 'database_unavailable']

/** Parses the body of an error response. Accepts any body, so the result can always be shown. */
export function problemOf(status: number, body: unknown, header: (name: string) => string | null = () => null) {
  const error = record(record(body)['error'])
  const kind = kindOf(status)
  const said = plain(error['message'])
  const retryAfter = Number(header('retry-after') ?? error['retry_after'])
  const code = typeof error['err_code'] === 'string' ? error['err_code'] : 'unknown'
  const isOurs = kind === 'server' && !spoken.includes(code)
  const message = kind === 'not-found' || isOurs ? fixedMessages[kind] : said || `HTTP ${status}`
  return new CallProblem({
    kind,
    status,
    code,
    message,
    fields: fieldsOf(error['fields']),
    data: record(error['data']),
    said: saidOf(error['said']),
    fieldsSaid: fieldsSaidOf(error['fields_said']),
    requestId: typeof error['request_id'] === 'string' ? error['request_id'] : (header('x-request-id') ?? undefined),
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined,
  })
}

/** Converts any thrown value to a problem. Errors in the console itself get the code `console`. */
export function asProblem(thrown: unknown): CallProblem {
  if (thrown instanceof CallProblem) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new CallProblem({ kind: 'validation', status: 0, code: 'console', message })
}

export const isCancelled = (thrown: unknown) => thrown instanceof CallProblem && thrown.kind === 'cancelled'
