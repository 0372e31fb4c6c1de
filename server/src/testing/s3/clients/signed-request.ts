import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import { signRequest } from '@mainstay/engines/s3/signature/sign'

/** A request that no SDK would send. */
export interface RawRequest {
  method?: string
  /** Percent-encoded path of the request. */
  path: string
  query?: readonly (readonly [string, string])[]
  headers?: Record<string, string>
  body?: string | Buffer
  /** Null for an anonymous request. */
  signer: { accessKey: string; secretKey: string } | null
  /** Host header to send and sign; by default, that of the endpoint. */
  host?: string
}

/** Sends a request to loopback, on the endpoint's port. `code`: error code, if any. */
export async function sendRaw(
  endpoint: string,
  { method = 'GET', path, query = [], signer, host, ...more }: RawRequest,
): Promise<{ status: number; code: string | undefined; text: string; headers: http.IncomingHttpHeaders }> {
  const { hostname, port } = new URL(endpoint)
  const body = Buffer.from(more.body ?? '')
  const given = { ...more.headers, host: `${host ?? hostname}:${port}`, 'content-length': String(body.length) }
  const headers = signer
    ? signRequest({ method, path, query, headers: given, payload: 'UNSIGNED-PAYLOAD' }, signer, S3_REGION)
    : given
  const search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  const request = http.request({
    ...{ host: '127.0.0.1', port, method, headers, agent: false },
    path: search === '' ? path : `${path}?${search}`,
  })
  const [response] = (await once(request.end(body), 'response')) as [http.IncomingMessage]
  const said = await text(response)
  return { status: response.statusCode!, code: /<Code>(\w+)</.exec(said)?.[1], text: said, headers: response.headers }
}
