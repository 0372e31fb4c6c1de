import { createHash, createHmac } from 'node:crypto'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import type { S3Signer } from '@mainstay/engines/ports/object-storage'
import type { S3Address } from './address'

/* AWS Signature Version 4, in the header. */

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
/** Values of headers travel as latin1, and are signed as these bytes. */
const sha256 = (text: string): string => createHash('sha256').update(Buffer.from(text, 'latin1')).digest('hex')

/**
 * The headers of a request with its signature. `headers` have lower-case names, and a `host`; all of them are signed.
 * `payload`: the SHA-256 of the body in hex, or the word that stands for it.
 */
export function signS3(
  request: {
    method: string
    address: Pick<S3Address, 'path' | 'query'>
    headers: Record<string, string>
    payload: string
  },
  { accessKey, secretKey }: S3Signer,
  now = new Date(),
): Record<string, string> {
  const { method, address, payload } = request
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const day = time.slice(0, 8)
  const headers = { ...request.headers, 'x-amz-content-sha256': payload, 'x-amz-date': time }
  const names = Object.keys(headers).sort()
  const lines = names.map((name) => `${name}:${headers[name as 'x-amz-date'].trim().replaceAll(/ +/g, ' ')}\n`)
  const signed = names.join(';')
  const canonical = [method, address.path, address.query, lines.join(''), signed, payload].join('\n')
  const scope = `${day}/${S3_REGION}/s3/aws4_request`
  const key = [S3_REGION, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secretKey}`, day))
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
  return { ...headers, authorization }
}
