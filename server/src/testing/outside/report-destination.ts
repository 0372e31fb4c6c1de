import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeRsaCertificate } from '../certificates/rsa-certificate'

/** A report as received. */
export interface TakenReport {
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** A destination for test reports, with configurable responses. */
export interface ReportDestination {
  url: string
  /** CA certificate as PEM. */
  ca: string
  taken: TakenReport[]
  /** Status of the next responses. `never`: no response until `answerNow`. `early`: 413 before the body is read. */
  answers: number | 'never' | 'early'
  /** Answers waiting requests with 200. */
  answerNow(): void
  close(): Promise<void>
}

/** Starts a destination on loopback, with its own certificate for these names. */
export async function startReportDestination(names: readonly string[] = ['127.0.0.1']): Promise<ReportDestination> {
  // unlike makeTestCertificate, this function also works in browser specs, which have no Node.js buffers
  const { cert, key } = makeRsaCertificate({ names })
  const waiting: (() => void)[] = []
  const server = https.createServer({ cert, key }, (request, response) => {
    if (destination.answers === 'early') {
      response.writeHead(413, { connection: 'close' }).end()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      destination.taken.push({ headers: request.headers, bytes: Buffer.concat(chunks) })
      if (destination.answers === 'never') waiting.push(() => response.writeHead(200).end())
      else response.writeHead(destination.answers as number, { location: 'https://127.0.0.1:9/' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const destination: ReportDestination = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/reports?from=here`,
    ca: cert.trim(),
    taken: [],
    answers: 200,
    answerNow() {
      destination.answers = 200
      for (const answer of waiting.splice(0)) answer()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return destination
}
