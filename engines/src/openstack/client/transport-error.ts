/** Codes of failures that came before anything was sent. */
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
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'it does not take connections',
  ECONNRESET: 'it broke off the connection',
  EPIPE: 'it broke off the connection',
  UND_ERR_SOCKET: 'it broke off the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it broke off the connection',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped in the middle',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer',
  STALLED: 'it stopped taking what was sent to it',
  TOO_LONG: 'its answer is too long',
}

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
const isOfCertificate = (code: string) => /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)

/** No whole answer came: not reached, broken off, not HTTP. */
export class TransportError extends Error {
  /** In words that go on after "cannot be reached:". */
  readonly reason: string
  /** Whether the cloud may have read what was sent. */
  readonly mayHaveArrived: boolean
  /** Whether another attempt may fare better. */
  readonly isPassing: boolean

  constructor(cause: unknown) {
    const code = codeOf(cause)
    const certificate = isOfCertificate(code)
    const reason =
      words[code] ??
      (certificate ? `its certificate is not accepted (${code})` : 'what it sent could not be understood')
    super(reason, { cause })
    this.name = 'TransportError'
    this.reason = reason
    this.mayHaveArrived = !neverSent.has(code) && !certificate
    this.isPassing = !certificate && code !== 'TOO_LONG'
  }
}
