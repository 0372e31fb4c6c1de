import https from 'node:https'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import type { Secret } from '@mainstay/engines/ports/secret'

/** Where reports are sent. */
export interface Destination {
  url: string
  token: Secret | null
  /** PEM CA certificates to trust instead of Node's; empty: trust Node's. */
  ca: string
}

export interface SentArchive {
  /** Stays the same for every attempt, so that the destination can detect duplicates. */
  id: string
  fileName: string
  bytes: Buffer
}

const WITHIN_MS = 60_000
const untrusted = /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL|^EPROTO$/

/**
 * Maps failures to our own error messages. They never quote text from the destination, because the URL can name any
 * host.
 */
function faultOf(cause: unknown, hasTimedOut: boolean): Problem {
  const { code = '' } = cause as { code?: string }
  if (hasTimedOut) return problem('settings.report_late', {}, { cause })
  return untrusted.test(code)
    ? problem('settings.report_untrusted', {}, { cause })
    : problem('settings.report_unreachable', {}, { cause })
}

function refusalOf(status: number): Problem | null {
  if (status >= 200 && status < 300) return null
  if (status === 413) return problem('settings.report_too_big', { status })
  if (status === 401 || status === 403) return problem('settings.report_token_refused', { status })
  return status >= 300 && status < 400
    ? problem('settings.report_redirected', { status })
    : problem('settings.report_refused', { status })
}

/**
 * Sends an archive by POST over TLS, within 60 s. Does not read the response body. Throws a `report_unreachable`,
 * `report_untrusted` or `report_refused` error, or the abort reason of `signal`.
 */
export async function sendReport(
  { url, token, ca }: Destination,
  { id, fileName, bytes }: SentArchive,
  { signal, withinMs = WITHIN_MS }: { signal?: AbortSignal; withinMs?: number } = {},
): Promise<void> {
  const timeout = AbortSignal.timeout(withinMs)
  let status: number
  try {
    status = await new Promise<number>((resolve, reject) => {
      const request = https.request(url, {
        method: 'POST',
        agent: false,
        minVersion: 'TLSv1.2',
        ...(ca !== '' && { ca }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: {
          'content-type': 'application/gzip',
          'content-length': bytes.length,
          'content-disposition': `attachment; filename="${fileName}"`,
          'idempotency-key': id,
          ...(token && { authorization: `Bearer ${token.reveal()}` }),
        },
      })
      request.on('response', (response) => {
        resolve(response.statusCode ?? 0)
        request.destroy()
      })
      request.on('error', reject)
      request.end(bytes)
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw faultOf(error, timeout.aborted)
  }
  const refusal = refusalOf(status)
  if (refusal) throw refusal
}
