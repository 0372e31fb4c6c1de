import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import type { Limits } from '../limits'
import type { Peers } from './addresses/peers'
import { problemBody } from './problem-replies'

const tooMany = problem('core.too_many_connections', {}, { data: { retry_after: 5 } })
const wordsInJson = JSON.stringify(problemBody(tooMany, ''))
/** The error for too many connections in S3 format. */
const wordsOfS3 =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SlowDown</Code>' +
  `<Message>${tooMany.message}</Message></Error>`
const answers = {
  json: { type: 'application/json', text: wordsInJson },
  s3: { type: 'application/xml', text: wordsOfS3 },
}
const refusalIn = ({ type, text }: { type: string; text: string }): string =>
  `HTTP/1.1 503 Service Unavailable\r\nContent-Type: ${type}\r\nRetry-After: 5\r\n` +
  `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`

export interface Connections {
  /** Counts and limits the connections of another server. */
  attach(server: HttpServer | HttpsServer): void
}

/**
 * Limits the number of open connections in total and per address. The limit per address does not apply to trusted
 * proxies, which relay many clients. `words`: format of the error response.
 */
export function createConnections(
  limits: Limits['connections'],
  peers: Peers,
  words: keyof typeof answers = 'json',
): Connections {
  const refusal = refusalIn(answers[words])
  const open = new Map<string, number>()
  let inAll = 0

  function count(address: string): void {
    inAll += 1
    open.set(address, (open.get(address) ?? 0) + 1)
  }
  function forget(address: string): void {
    inAll -= 1
    const left = (open.get(address) ?? 1) - 1
    if (left > 0) open.set(address, left)
    else open.delete(address)
  }

  return {
    attach(server) {
      const isPlain = !('setSecureContext' in server)
      server.prependListener('connection', (socket: Socket) => {
        const address = socket.remoteAddress ?? ''
        const isFull = inAll >= limits.inAll
        if (isFull || (!peers.isProxy(address) && (open.get(address) ?? 0) >= limits.ofAddress)) {
          // close idle connections to make room
          if (isFull) server.closeIdleConnections()
          socket.on('error', () => socket.destroy())
          if (isPlain) socket.end(refusal, () => socket.destroy())
          else socket.destroy()
          return
        }
        count(address)
        socket.once('close', () => forget(address))
      })
    },
  }
}
