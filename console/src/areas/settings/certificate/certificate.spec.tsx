import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ssl } from '@mainstay/contract/settings/certificate'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { testDatabase } from '../../../../../server/src/testing/postgres/postgres'
import { makeRsaCertificate } from '../../../../../server/src/testing/certificates/rsa-certificate'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 60_000 }
let server: TestServer
let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-tls-'))
  // the realm of a browser has other buffers than the server, which makes its certificate with those of Node
  const { cert, key } = makeRsaCertificate({ names: ['localhost', '127.0.0.1'], days: 320 })
  await mkdir(path.join(folder, 'tls'))
  await writeFile(path.join(folder, 'tls', 'certificate.pem'), cert)
  await writeFile(path.join(folder, 'tls', 'key.pem'), key)
  server = await startServer({
    environment: { MAINSTAY_TLS: 'self-signed' },
    keep: { folder, databaseUrl: database.url },
  })
})
afterAll(async () => {
  await server.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => page?.close())

const open = async (as: 'superuser' | 'viewer') => {
  page = await renderPage('/settings/certificate', { server, as })
}
const file = async (label: string) => (await screen.findAllByRole('group', { name: label }, pageTimeout))[0]!
const choose = async (label: string, name: string, text: string) => {
  const part = await file(label)
  const input = part.querySelector<HTMLInputElement>('input[type=file]')!
  fireEvent.change(input, { target: { files: [new File([text], name)] } })
  await within(part).findByText(name, {}, pageTimeout)
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }, pageTimeout))
const source = async () => (await server.call(ssl.view, { as: 'viewer' })).source

it(
  'the console shows the certificate with its end, takes another one by files of certain endings, and goes back to its own [UI-019] [VA-049] [VA-050]',
  long,
  async () => {
    await open('superuser')
    for (const [label, endings] of [
      ['Certificate file', ['pem', 'crt', 'cer', 'der', 'p7b', 'p7c', 'pfx', 'p12']],
      ['Private key file', ['pem', 'key', 'der']],
    ] as const) {
      const input = (await file(label)).querySelector<HTMLInputElement>('input[type=file]')!
      expect(input.accept.split(',').toSorted()).toEqual(endings.map((ending) => `.${ending}`).toSorted())
    }
    await choose('Certificate file', 'a.exe', 'no certificate')
    await choose('Private key file', 'a.crt', 'no key')
    await press('Use this certificate')
    for (const label of ['Certificate file', 'Private key file'])
      await within(await file(label)).findByText(/^Choose a file that ends with/, {}, pageTimeout)
    for (const name of ['Remove a.exe', 'Remove a.crt']) await press(name)
    await screen.findByText('Made by the server (self-signed)', {}, pageTimeout)
    await screen.findByText(/^Ends in 3\d\d days$/, {}, pageTimeout)
    const [own, other] = [20, 90].map((days) => makeRsaCertificate({ names: ['console.example'], days }))
    await choose('Certificate file', 'a.pem', own!.cert)
    await choose('Private key file', 'a.key', other!.key)
    await press('Use this certificate')
    await screen.findByText('The private key belongs to another certificate', {}, pageTimeout)
    expect(await source()).toBe('self-signed')
    await press('Remove a.key')
    await choose('Private key file', 'b.key', own!.key)
    await press('Use this certificate')
    await screen.findByText('Uploaded', {}, pageTimeout)
    expect((await screen.findByText('Ends in 19 days', {}, pageTimeout)).closest('[class*=warn]')).not.toBeNull()
    expect(await source()).toBe('uploaded')
    await press('Use a self-signed certificate')
    const dialog = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    fireEvent.click(dialog.getByRole('button', { name: 'Use a self-signed certificate' }))
    await screen.findByText('Made by the server (self-signed)', {}, pageTimeout)
    await vi.waitFor(async () => expect(await source()).toBe('self-signed'), pageTimeout)
  },
)

it('who may only look sees the certificate and no form', long, async () => {
  await open('viewer')
  await screen.findByText('Made by the server (self-signed)', {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Use this certificate' })).toBeNull()
})
