/** Codes of errors that occur before anything is sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

const words: Record<string, string> = {
  ECONNREFUSED: 'it refuses connections',
  EHOSTUNREACH: 'there is no route to its address',
  ENETUNREACH: 'there is no route to its address',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name could not be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept connections',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it closed the connection',
  UND_ERR_BODY_TIMEOUT: 'its response stopped before the end',
  UND_ERR_HEADERS_TIMEOUT: 'it did not respond',
  STALLED: 'it stopped reading the request',
  TOO_LONG: 'its response is too large',
}

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
const isOfCertificate = (code: string) => /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)

/** The error for a request without a complete response: unreachable service, lost connection, or not HTTP. */
export class TransportError extends Error {
  /** The end of a message such as “The image service cannot be reached: it closed the connection”. */
  readonly reason: string
  /** Whether the cloud may have received the request. */
  readonly mayHaveArrived: boolean
  /** Whether a retry may succeed. */
  readonly isPassing: boolean

  constructor(cause: unknown) {
    const code = codeOf(cause)
    const certificate = isOfCertificate(code)
    const reason =
      words[code] ??
      (certificate ? `its certificate is not accepted (${code})` : 'its response could not be understood')
    super(reason, { cause })
    this.name = 'TransportError'
    this.reason = reason
    this.mayHaveArrived = !neverSent.has(code) && !certificate
    this.isPassing = !certificate && code !== 'TOO_LONG'
  }
}
