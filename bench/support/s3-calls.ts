import { Agent, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { S3_DUMMY_CREDENTIALS } from '@mainstay/contract/object-storage/s3-proxy'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import type { S3Signer } from '@mainstay/engines/ports/object-storage'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import { signRequest } from '@mainstay/engines/s3/signature/sign'
import { readTarget } from '@mainstay/engines/s3/signature/target'

/**
 * S3 requests with little overhead for the client: request bodies are generated on the fly, and response bodies are
 * discarded.
 */
export interface S3Calls {
  /** Sends `size` bytes. Returns the duration in milliseconds. */
  put(path: string, size: number): Promise<number>
  /** Returns the number of milliseconds until the response was read completely. */
  get(path: string): Promise<number>
  close(): void
}

/** Builds the headers for a request. */
type Headers = (method: string, path: string) => Record<string, string>

const BLOCK = Buffer.alloc(1024 * 1024, 'what a file may have in it. ')
function* blocks(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= BLOCK.length) yield left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left)
}

export function openS3Calls(url: string, headersOf: Headers): S3Calls {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function call(method: string, path: string, size: number): Promise<number> {
    const started = performance.now()
    const headers = { ...headersOf(method, path), 'content-length': String(size) }
    const sent = request(`${url}${path}`, { agent, method, headers })
    const answered = new Promise<void>((resolve, reject) => {
      sent.once('error', reject).once('response', (response) => {
        let told = ''
        if (response.statusCode !== 200) response.on('data', (part: Buffer) => (told += part.toString()))
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${told.slice(0, 500)}`))
        })
        response.resume()
      })
    })
    await Promise.all([size > 0 ? pipeline(Readable.from(blocks(size)), sent) : sent.end(), answered])
    return performance.now() - started
  }
  return {
    put: (path, size) => call('PUT', path, size),
    get: (path) => call('GET', path, 0),
    close: () => agent.destroy(),
  }
}

/** Returns the signed headers, as S3 clients send them. */
export const signedBy =
  (endpoint: string, signer: S3Signer): Headers =>
  (method, target) => {
    const headers = { host: new URL(endpoint).host }
    return signRequest({ method, ...readTarget(target), headers, payload: UNSIGNED_PAYLOAD }, signer, S3_REGION)
  }

/**
 * Builds the headers that the console sends: a session token, and a signature with dummy credentials that the proxy
 * ignores.
 */
export function withSession(url: string, token: string): Headers {
  const { accessKeyId, secretAccessKey } = S3_DUMMY_CREDENTIALS
  const signed = signedBy(url, { accessKey: accessKeyId, secretKey: secretAccessKey })
  return (...call) => ({ ...signed(...call), 'x-auth-token': token })
}
