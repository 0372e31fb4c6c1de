import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '@mainstay/contract/core/problems'
import type { Limits } from '../../limits'

interface Unfinished {
  request: FastifyRequest
  reply: FastifyReply
  startedAt: number
  /** What the connection had brought before. */
  bytesBefore: number
}

export interface UnfinishedBodies {
  /** Watches a request's body until it is here. Throws `server_busy` where too many are on their way. */
  watch(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Lets the sender of a body that nobody wants read the answer: what still comes is thrown away for a while, and then
   * the connection is closed.
   */
  dismiss(request: FastifyRequest): void
}

const RETRY_AFTER_SECONDS = 5

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Bodies that are read into memory: how many are on their way at once, and how slowly they may come. A body that comes
 * too slowly is answered 408 and its connection closed. For all servers that share the limits.
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
      // a body that came with its headers is here by now, so these are few; counted anew only when there are many
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
