import https from 'node:https'
import { Problem, type ProblemCode } from '@mainstay/contract/core/problems'
import type { Secret } from '@mainstay/engines/ports/secret'

/** Where reports go. */
export interface Destination {
  url: string
  token: Secret | null
  /** Authorities, PEM, in the place of those that Node trusts; empty: those. */
  ca: string
}

export interface SentArchive {
  /** The same for every attempt, so that one that was sent twice is known as one. */
  id: string
  fileName: string
  bytes: Buffer
}

const WITHIN_MS = 60_000
const untrusted = /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL|^EPROTO$/

/** What went wrong, in few words of ours. What the destination said stays out: an address may be any that is set. */
function problemOf(error: unknown, hasTimedOut: boolean): Problem {
  const { code = '' } = error as { code?: string }
  const problem = (kind: ProblemCode, message: string) => new Problem(kind, message, { cause: error })
  if (hasTimedOut) return problem('report_unreachable', 'The destination of reports did not take the report in time')
  if (untrusted.test(code))
    return problem(
      'report_untrusted',
      'The destination of reports offers no encrypted connection with a certificate to be trusted',
    )
  return problem('report_unreachable', 'The destination of reports cannot be reached, or ended the connection')
}

function refusalOf(status: number): Problem | null {
  if (status >= 200 && status < 300) return null
  const why =
    status === 413
      ? 'finds the report too big (413)'
      : status === 401 || status === 403
        ? `does not accept its token (${status})`
        : status >= 300 && status < 400
          ? `points elsewhere, which is not followed (${status})`
          : `refused the report (${status})`
  return new Problem('report_refused', `The destination of reports ${why}`, { data: { status } })
}

/**
 * Sends an archive by POST over TLS, in 60 s at most. What is answered is not read. Throws `report_unreachable`,
 * `report_untrusted`, `report_refused`, and what `signal` says when it fires.
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
    throw problemOf(error, timeout.aborted)
  }
  const refusal = refusalOf(status)
  if (refusal) throw refusal
}
