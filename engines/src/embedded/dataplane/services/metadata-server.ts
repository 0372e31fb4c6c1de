import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { canonical } from '../../../network-model/addresses'
import { headers } from '../../../network-model/compile/metadata'
import type { AnswerMetadata, MetadataResponse, WantedPort } from '../../../network-model/wanted'
import type { Log } from '../../../ports/records'

const mostBody = 64 * 1024
const mostSeconds = 15

/**
 * Serves guests' metadata requests, which HAProxy forwards to a Unix socket. The network and the source address
 * identify the port, because the switch drops requests with forged addresses (`switch-tables.ts`); `portAt` looks up
 * the port.
 */
export async function serveMetadata(
  socket: string,
  log: Log,
  portAt: (networkId: string, address: string) => WantedPort | null,
): Promise<{ answerBy(answer: AnswerMetadata): void; close(): void }> {
  let answer: AnswerMetadata | null = null
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: mostSeconds * 1000 }, (request, response) => {
    reply(request)
      .catch((error: unknown) => {
        log.error({ error }, 'a metadata request of a guest failed')
        return plain(500, 'The metadata could not be read')
      })
      .then((answered) => send(response, answered))
      .catch(() => response.destroy())
  })

  async function reply(request: IncomingMessage): Promise<MetadataResponse> {
    if (!answer) return plain(503, 'Try again in a moment')
    const networkId = String(request.headers[headers.network] ?? '')
    const address = canonical(String(request.headers[headers.address] ?? '0.0.0.0').replace(/^::ffff:/, ''))
    const body = await bodyOf(request)
    if (body === null) return plain(413, 'The request is too large')
    const given = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || name.startsWith('x-mainstay-') ? [] : [[name, String(value)] as const],
    )
    return answer({
      ...{ networkId, address, portId: portAt(networkId, address)?.id ?? null },
      ...{ method: request.method ?? 'GET', path: request.url ?? '/', headers: Object.fromEntries(given), body },
    })
  }

  rmSync(socket, { force: true })
  await new Promise<void>((done, refuse) => server.once('error', refuse).listen(socket, done))
  // only the server and HAProxy's user can enter its folder
  chmodSync(socket, 0o666)
  server.unref()
  return {
    answerBy: (by) => void (answer = by),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const plain = (status: number, text: string): MetadataResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${text}\n`,
})

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > mostBody) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, { status, headers: given, body }: MetadataResponse): void {
  response.writeHead(status, { ...given, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
