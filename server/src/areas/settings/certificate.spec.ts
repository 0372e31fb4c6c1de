import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SslConfig, ssl } from '@mainstay/contract/settings/certificate'
import { notifications } from '@mainstay/contract/settings/notifications'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeTestCertificate, type TestCertificate } from '../../testing/certificates/certificates'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'superuser'
let server: TestServer
let own: TestCertificate
beforeAll(async () => {
  own = await makeTestCertificate({ names: ['console.example'] })
  server = await startServer({ environment: { MAINSTAY_TLS: 'self-signed' } })
})
afterAll(() => server.close())

const encoded = (name: string, text: string) => ({ name, data: Buffer.from(text).toString('base64') })
const upload = (body: object) => server.call(ssl.upload, { as, body })
const uploadOwn = () => upload({ ssl: true, cert: encoded('a.pem', own.cert), key: encoded('a.key', own.key) })

describe('the certificate', () => {
  it('is self-signed until another certificate is uploaded [EN-074] [CA-271]', async () => {
    const config = await server.call(ssl.view, { as })
    expect(SslConfig.parse(config)).toEqual(config)
    expect(config).toMatchObject({ is_valid: true, self_signed: true, ssl: true, source: 'self-signed' })
    expect(config.certificate!.names).toContain('localhost')
    expect(config.warnings).toEqual(['The certificate is self-signed: browsers show a warning'])
    expect(config.certificate!.days_left).toBeGreaterThan(300)
    // the certificate is checked without a request, because the session would expire before the certificate does
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(config.certificate!.not_after) })
    const ended = server.tools.certificate.about('localhost')
    vi.useRealTimers()
    expect(ended).toMatchObject({ is_valid: false, self_signed: true, ssl: true })
  })

  it('can be replaced by an uploaded certificate and by a self-signed one again [CA-272] [EN-074]', async () => {
    const fingerprint = new X509Certificate(own.cert).fingerprint256
    expect(await uploadOwn()).toMatchObject({
      ...{ is_valid: true, self_signed: false, ssl: true, source: 'uploaded' },
      certificate: { fingerprint, names: ['console.example'], days_left: 89 },
    })
    expect(server.tools.certificate.pair()!.cert).toContain('BEGIN CERTIFICATE')
    expect((await server.call(ssl.view, { as: 'viewer' })).certificate!.fingerprint).toBe(fingerprint)
    expect(await upload({ gen_cert: true })).toMatchObject({ self_signed: true, source: 'self-signed' })
  })

  it('can also be uploaded as a form that contains files and JSON fields', async () => {
    const form = new FormData()
    form.set('json', JSON.stringify({ ssl: true }))
    form.set('cert', new File([own.cert], 'a.crt'))
    form.set('key', new File([own.key], 'a.key'))
    const answer = await fetch(`${server.adminUrl}${ssl.upload.path}/`, {
      ...{ method: 'PUT', body: form, headers: { 'x-auth-token': await server.signIn(as) } },
    })
    expect([answer.status, await answer.json()]).toMatchObject([200, { source: 'uploaded' }])
    const broken = await fetch(`${server.adminUrl}${ssl.upload.path}`, {
      method: 'PUT',
      body: 'no form',
      headers: { 'x-auth-token': await server.signIn(as), 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { err_code: 'unreadable_payload' } }])
    // all other calls accept only JSON
    const elsewhere = await fetch(`${server.adminUrl}${notifications.save.path}`, {
      ...{ method: 'PUT', body: form, headers: { 'x-auth-token': await server.signIn(as) } },
    })
    expect(elsewhere.status).toBe(415)
  })

  it('is kept if an upload is refused, and the error names the field', async () => {
    await uploadOwn()
    const other = await makeTestCertificate({ names: ['console.example'] })
    await expect(upload({ cert: encoded('a.pem', own.cert), key: encoded('a.key', other.key) })).rejects.toMatchObject({
      code: 'certificate_key_mismatch',
      fields: { key: [expect.any(String)] },
    })
    await expect(upload({})).rejects.toMatchObject({ code: 'validation', fields: { cert: [expect.any(String)] } })
    await expect(upload({ ssl: false, gen_cert: true })).rejects.toMatchObject({ code: 'unsupported' })
    expect((await server.call(ssl.view, { as })).source).toBe('uploaded')
  })

  it.each(['pem', 'crt', 'cer', 'der', 'p7b', 'p7c', 'pfx', 'p12'])(
    'can be uploaded as a .%s file but not with an unknown extension [VA-049]',
    async (ending) => {
      const named = (name: string) => upload({ cert: encoded(name, 'x'), key: encoded('a.key', own.key) })
      await expect(named(`a.${ending}`)).rejects.toMatchObject({ code: 'certificate_unreadable' })
      for (const wrong of ['a.txt', `a.${ending}.exe`, ending])
        await expect(named(wrong)).rejects.toMatchObject({
          code: 'validation',
          fields: { 'cert.name': [expect.any(String)] },
        })
    },
  )

  it.each(['pem', 'key', 'der'])(
    'can have a key in a .%s file but not with an unknown extension [VA-050]',
    async (ending) => {
      const named = (name: string) => upload({ cert: encoded('a.pem', own.cert), key: encoded(name, 'x') })
      await expect(named(`a.${ending}`)).rejects.toMatchObject({ code: 'certificate_unreadable' })
      for (const wrong of ['a.crt', 'a.p12', ending])
        await expect(named(wrong)).rejects.toMatchObject({
          code: 'validation',
          fields: { 'key.name': [expect.any(String)] },
        })
    },
  )

  it('can be changed by administrators only, and its private key cannot be read', async () => {
    await uploadOwn()
    for (const who of ['viewer', 'compute-operator', 'domain-admin', 'project-member'] as const)
      await expect(server.call(ssl.upload, { as: who, body: { gen_cert: true } })).rejects.toMatchObject({
        code: 'forbidden',
      })
    const rows = await server.sql.query("select value, encode(sealed, 'escape') as sealed from setting")
    const lines = await server.sql.query('select * from audit')
    const inner = own.key.split('\n')[1]!
    expect(JSON.stringify([rows, lines])).not.toContain(inner)
  })
})

it('explains where to change the certificate of a server without TLS or with configured files [EN-074]', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-tls-'))
  const files = [path.join(folder, 'a.pem'), path.join(folder, 'a.key')] as const
  await writeFile(files[0], own.cert)
  await writeFile(files[1], own.key)
  const configured = [
    { environment: {}, says: 'MAINSTAY_TLS=self-signed', shows: { is_valid: false, ssl: false, source: 'none' } },
    { environment: { MAINSTAY_TLS: files.join(',') }, says: 'files', shows: { is_valid: true, source: 'files' } },
  ]
  for (const { environment, says, shows } of configured) {
    const other = await startServer({ environment })
    try {
      expect(await other.call(ssl.view, { as })).toMatchObject({ ...shows, self_signed: false })
      await expect(other.call(ssl.upload, { as, body: { gen_cert: true } })).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining(says),
      })
    } finally {
      await other.close()
    }
  }
  await rm(folder, { recursive: true, force: true })
})
