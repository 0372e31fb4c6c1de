import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createForwarding } from './forward'

/* Uses an S3 service that is slow to respond. */

const SILENT_MS = 400
const server = http.createServer((_, response) => void setTimeout(() => response.end(), SILENT_MS))
let endpoint: string
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const forwarding = createForwarding({ idleMs: SILENT_MS / 4 })
async function ask(method: string, query: (readonly [string, string])[], headers: Record<string, string>) {
  const upstream = { endpoint, ca: null, region: 'us-east-1' }
  const flags = { checksBodies: true, tellsUploadTag: true, looksAtPolicies: true, takesSource: true }
  const request = { method, address: { path: '/bucket/key', query }, headers, payload: 'UNSIGNED-PAYLOAD', body: null }
  const signer = { accessKey: 'key', secretKey: 'secret' }
  const sent = { ...request, upstream: { ...upstream, ...flags }, signer, source: null }
  return forwarding.send(sent, new AbortController().signal).then(
    (response) => {
      response.resume()
      return response.statusCode
    },
    ({ code }: { code: string }) => code,
  )
}

it('waits longer for copies and upload completions than for other calls', async () => {
  expect(await ask('PUT', [], { 'x-amz-copy-source': 'bucket/other' })).toBe(200)
  expect(await ask('PUT', [['uploadId', 'u']], { 'x-amz-copy-source': 'bucket/other' })).toBe(200)
  expect(await ask('POST', [['uploadId', 'u']], {})).toBe(200)
  expect(await ask('GET', [['uploadId', 'u']], {})).toBe('RequestTimeout')
  expect(await ask('POST', [['uploads', '']], {})).toBe('RequestTimeout')
})
