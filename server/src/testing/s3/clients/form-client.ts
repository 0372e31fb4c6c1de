import { createHmac } from 'node:crypto'
import http from 'node:http'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'

/* Forms as sent by browsers, with policies signed as applications sign them. */

export type Field = readonly [name: string, value: string | Buffer, fileName?: string]
export const BOUNDARY = '----form-of-a-test'
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

export function bodyOf(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([name, value, fileName]) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n`,
    value,
    '\r\n',
  ])
  return Buffer.concat([...parts, `--${BOUNDARY}--\r\n`].map((part) => Buffer.from(part)))
}

export interface Answer {
  status: number
  /** Error code of the response. */
  code: string | undefined
  headers: http.IncomingHttpHeaders
  text: string
}
/** Posts a body to a bucket in chunks of `atOnce` bytes. */
export function postTo(
  bucketUrl: string,
  body: Buffer,
  { type = FORM_TYPE, atOnce = 64 * 1024 } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': body.length }
    const request = http.request(bucketUrl, { method: 'POST', headers, agent: false })
    request.on('response', (response) => {
      let text = ''
      response.on('data', (part) => (text += String(part)))
      response.on('error', reject)
      response.on('end', () => {
        const code = /<Code>(\w+)</.exec(text)?.[1]
        resolve({ status: response.statusCode!, code, headers: response.headers, text })
      })
    })
    request.on('error', reject)
    void (async () => {
      for (let at = 0; at < body.length; at += atOnce) {
        request.write(body.subarray(at, at + atOnce))
        await new Promise((later) => setImmediate(later))
      }
      request.end()
    })()
  })
}

interface Signer {
  accessKey: string
  secretKey: string
}
/** Ten minutes from now, in the format of a policy. */
export const soon = () => `${new Date(Date.now() + 600_000).toISOString().slice(0, 19)}Z`

/** Form fields for a policy signed with Signature Version 2. */
export function signedBy2({ accessKey, secretKey }: Signer, document: unknown): Field[] {
  const policy = Buffer.from(JSON.stringify(document)).toString('base64')
  const signature = createHmac('sha1', secretKey).update(policy).digest('base64')
  return [
    ['AWSAccessKeyId', accessKey],
    ['signature', signature],
    ['policy', policy],
  ]
}

/** Form fields for a policy signed with Signature Version 4, with the conditions that the signature requires. */
export function signedBy4({ accessKey, secretKey }: Signer, conditions: readonly unknown[], now = new Date()): Field[] {
  const stamp = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const credential = `${accessKey}/${stamp.slice(0, 8)}/${S3_REGION}/s3/aws4_request`
  const own = { 'x-amz-algorithm': 'AWS4-HMAC-SHA256', 'x-amz-credential': credential, 'x-amz-date': stamp }
  const all = [...conditions, ...Object.entries(own).map(([name, it]) => ({ [name]: it }))]
  const policy = Buffer.from(JSON.stringify({ expiration: soon(), conditions: all })).toString('base64')
  const key = [stamp.slice(0, 8), S3_REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    (from, word) => createHmac('sha256', from).update(word).digest(),
    `AWS4${secretKey}`,
  )
  const signature = createHmac('sha256', key).update(policy).digest('hex')
  return [...Object.entries(own), ['policy', policy], ['x-amz-signature', signature]]
}
