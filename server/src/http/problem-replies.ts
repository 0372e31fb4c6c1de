import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, Problem, problem, type ProblemBody } from '@mainstay/contract/core/problems'
import { sendJson } from './send-json'

/** Message for internal errors (S1§8). */
export const FAULT_MESSAGE = 'Internal Server Error. Please contact your system administrator.'

/** Log for internal errors. */
export interface FaultLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Our own messages for Fastify's errors. */
const byHttpCode: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => problem('core.request_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problem('core.send_json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => problem('core.wrong_content_length'),
  FST_ERR_BAD_URL: notFound,
}

/** Converts an error to a problem; null for an internal error, whose details are hidden. */
export function asProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error.status >= 500 && error.code === 'unknown' ? null : error
  const { code = '', statusCode } = error as { code?: string; statusCode?: number }
  // the file system is full, or its owner's quota is used up
  if (code === 'ENOSPC' || code === 'EDQUOT') return problem('core.disk_full', {}, { cause: error })
  const known = byHttpCode[code]
  if (known) return known()
  if (statusCode === 413) return problem('core.request_too_large')
  if (statusCode === 415) return problem('core.send_json')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return problem('core.unreadable_request')
  return null
}

/** Removes `(Deprecated field)`, which marks fields for programs, not for people (S1§8). */
const forPeople = (message: string): string => message.replaceAll('(Deprecated field)', '').trim()

export const problemBody = (problem: Problem | null, requestId: string): ProblemBody => ({
  error: {
    message: problem ? forPeople(problem.message) : FAULT_MESSAGE,
    err_code: problem?.code ?? 'unknown',
    fields: problem?.fields ?? {},
    data: problem?.data ?? {},
    said: problem?.said ?? null,
    fields_said: problem?.fieldsSaid ?? {},
    request_id: requestId,
  },
})

/** Sends an error response. Internal errors are logged with their stack and the request ID. */
export function replyProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: FaultLog,
): FastifyReply {
  const problem = asProblem(error)
  if (!problem) log.error({ err: error, request_id: request.id }, 'a request failed with an internal error')
  else if (problem.cause !== undefined && problem.status >= 500)
    log.warn({ err: problem.cause, request_id: request.id, err_code: problem.code }, problem.message)
  const retryAfter = problem?.data['retry_after']
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter))
  void reply
    .code(problem?.status ?? 500)
    // also set here, because requests that are refused before routing do not run any hooks
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
  return sendJson(reply, problemBody(problem, request.id))
}
