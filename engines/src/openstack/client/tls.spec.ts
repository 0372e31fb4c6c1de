import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../ports/secret'
import { loopbackCertificate } from '../testing/certificate'
import { problemOf } from '../testing/outcomes'
import { noLog } from '../testing/client-fixture'
import { type CloudOptions, createCloud } from './cloud'

let folder: string
let caFile: string
let server: Server
let calls = 0
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-tls-'))
  caFile = path.join(folder, 'ca.pem')
  const { key, cert } = loopbackCertificate()
  await writeFile(caFile, cert)
  server = createServer({ key, cert }, (_, response) => {
    calls += 1
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"code":401,"message":"The request you have made requires authentication."}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true })
})

/** Signs in to a server that rejects every request, and returns the Problem. */
async function signIn(tls: NonNullable<CloudOptions['tls']>) {
  const authUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
  const cloud = createCloud({ authUrl, log: noLog, tls })
  try {
    return await problemOf(
      cloud.authenticate({ method: 'password', user: { id: 'u' }, password: new Secret('secret') }),
    )
  } finally {
    await cloud.close()
  }
}

test('sends no password to a cloud with an untrusted certificate', async () => {
  const problem = await signIn({})
  expect(problem.code).toBe('engine_unavailable')
  expect(problem.message).toMatch(/^The identity service cannot be reached: its certificate is not accepted/)
  expect(calls).toBe(0)
})

test('trusts a certificate issued by the configured CA', async () => {
  expect(await signIn({ caFile })).toMatchObject({ code: 'wrong_credentials' })
})

test('accepts any certificate if verification is disabled', async () => {
  expect(await signIn({ verify: false })).toMatchObject({ code: 'wrong_credentials' })
})

test('reports a missing CA file before any request', () => {
  const options = { authUrl: 'https://cloud.invalid', log: noLog, tls: { caFile: path.join(folder, 'none.pem') } }
  expect(() => createCloud(options)).toThrow(`cannot be read: ${options.tls.caFile}`)
})
