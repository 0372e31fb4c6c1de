import type { Problem } from '@mainstay/contract/core/problems'
import { FAULT_MESSAGE } from '../../http/problem-replies'

/** An error response in S3 format, with an S3 error code. */
export class S3Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'S3Refusal'
    this.status = status
    this.code = code
  }
}

const codes: Readonly<Record<string, string>> = {
  forbidden: 'AccessDenied',
  too_many_requests: 'SlowDown',
  server_busy: 'SlowDown',
  unreadable_payload: 'IncompleteBody',
  request_timeout: 'RequestTimeout',
}

/** Converts a problem to an S3 error. Problems from object storage keep their codes; null becomes an internal error. */
export function refusalOf(problem: Problem | null): S3Refusal {
  if (!problem) return new S3Refusal(500, 'InternalError', FAULT_MESSAGE)
  const { status, code, message } = problem
  return new S3Refusal(codes[code] === 'SlowDown' ? 503 : status, codes[code] ?? code, message)
}

const escape = (text: string): string =>
  text.replace(/[<>&"']/g, (it) => `&#${it.charCodeAt(0)};`).replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD]/g, '')

/** The XML body of an error response. */
export const refusalXml = ({ code, message }: Pick<S3Refusal, 'code' | 'message'>, requestId: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${escape(code)}</Code><Message>${escape(message)}</Message>` +
  `<RequestId>${escape(requestId)}</RequestId></Error>`
