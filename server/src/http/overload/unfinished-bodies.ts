import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '@mainstay/contract/core/problems'
import type { Limits } from '../../limits'

interface Unfinished {
  request: FastifyRequest
  reply: FastifyReply
  startedAt: number
  /** Bytes received on the connection before this request. */
  bytesBefore: number
}

export interface UnfinishedBodies {
  /**
   * Watches the body of a request until it is complete. Throws a `server_busy` error if too many bodies are incomplete.
   */
  watch(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Lets the sender of an unread body receive the response: discards the rest of the body for a while, then closes the
   * connection.
   */
  dismiss(request: FastifyRequest): void
}

const RETRY_AFTER_SECONDS = 5

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Limits bodies that are read into memory: how many may be incomplete at once, and how slowly they may arrive. If a
 * body is too slow, the server responds with 408 and closes the connection. Servers with common limits share one
 * instance.
 */
export function createUnfinishedBodies(limits: Limits['body']): UnfinishedBodies {
  const unfinished = new Set<Unfinished>()
  const deadlineMs = limits.graceMs + (limits.signedInBytes / limits.bytesPerSecond) * 1000
  let timer: NodeJS.Timeout | null = null

  function forgetFinished(): void {
    for (const body of unfinished) if (body.request.raw.complete || body.request.raw.destroyed) unfinished.delete(body)
  }

  function isTooSlow({ request, startedAt, bytesBefore }: Unfinished, now: number): boolean {
    const beyondGraceMs = now - startedAt - limits.graceMs
    const received = request.socket.bytesRead - bytesBefore
    return (
      beyondGraceMs > 0 && (now - startedAt > deadlineMs || received < (beyondGraceMs / 1000) * limits.bytesPerSecond)
    )
  }

  function giveUp({ reply }: Unfinished): void {
    if (reply.sent) return
    void reply.header('connection', 'close').send(problem('core.slow_body'))
  }

  function look(): void {
    forgetFinished()
    const now = performance.now()
    for (const body of unfinished) {
      if (!isTooSlow(body, now)) continue
      unfinished.delete(body)
      giveUp(body)
    }
    if (unfinished.size > 0) return
    if (timer) clearInterval(timer)
    timer = null
  }

  return {
    watch(request, reply) {
      if (!hasBody(request)) return
      const ofAddress = () => [...unfinished].filter((it) => it.request.ip === request.ip).length
      // most bodies arrive with their headers, so this set stays small; recount only when it is large
      if (unfinished.size >= limits.unfinishedOfAddress) {
        forgetFinished()
        if (unfinished.size >= limits.unfinishedInAll || ofAddress() >= limits.unfinishedOfAddress)
          throw problem('core.too_many_unfinished', {}, { data: { retry_after: RETRY_AFTER_SECONDS } })
      }
      unfinished.add({ request, reply, startedAt: performance.now(), bytesBefore: request.socket.bytesRead })
      timer ??= setInterval(look, Math.min(1000, limits.graceMs)).unref()
    },
    dismiss({ raw }) {
      if (raw.complete || raw.destroyed) return
      const closing = setTimeout(() => raw.complete || raw.destroy(), limits.graceMs).unref()
      raw.once('close', () => clearTimeout(closing))
    },
  }
}
