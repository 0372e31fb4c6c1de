import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { session } from '@mainstay/contract/identity/session'
import { Authenticator } from '../../../../server/src/testing/outside/authenticator'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { call } from '../../api/call'
import { sessionNow } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* Passkeys: adding one on the account page, signing in with it, and removal by an administrator. */

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  const started = await startServer()
  // WebAuthn requires a domain name, not an IP address
  server = { ...started, url: started.url.replace('127.0.0.1', 'localhost') }
})
afterAll(() => server.close())
beforeEach(() => {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', class {})
})
afterEach(() => {
  page?.close()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'credentials')
})

const text = (bytes: BufferSource): string => Buffer.from(bytes as Uint8Array).toString('base64url')
const bytes = (encoded: string): ArrayBuffer => Uint8Array.from(Buffer.from(encoded, 'base64url')).buffer

/** Replaces the browser's WebAuthn dialog with an authenticator that uses `key`. */
function withAuthenticator(key: Authenticator): void {
  const credentials = {
    async create({ publicKey }: { publicKey: PublicKeyCredentialCreationOptions }) {
      const user = { ...publicKey.user, id: text(publicKey.user.id) }
      const { id, response } = key.create({ ...publicKey, challenge: text(publicKey.challenge), user } as never)
      const { clientDataJSON, attestationObject, transports } = response
      return {
        id,
        response: {
          clientDataJSON: bytes(clientDataJSON),
          attestationObject: bytes(attestationObject),
          getTransports: () => transports,
        },
      }
    },
    async get({ publicKey }: { publicKey: PublicKeyCredentialRequestOptions }) {
      const { id, response } = key.use({ ...publicKey, challenge: text(publicKey.challenge) } as never)
      const parts = Object.entries(response).map(([name, value]) => [name, bytes(value)])
      return { id, response: Object.fromEntries(parts) as object }
    },
  }
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials })
}

const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }, pageTimeout))
const section = async () => within(await screen.findByRole('region', { name: 'Passkeys' }, pageTimeout))
const type = (of: Awaited<ReturnType<typeof dialog>>, label: string, value: string) =>
  fireEvent.change(of.getByLabelText(label), { target: { value } })
async function openAccount() {
  const body = { username: 'project_member', password: PASSWORD, domain: 'alpha' }
  const { token } = await server.call(session.login, { body })
  page = await renderPage('/account', { server, as: 'project-member', cookie: token! })
}

it(
  'adds and renames a passkey, signs in and renews a session with it, and lets an administrator remove it',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const key = new Authenticator(server.url)
    withAuthenticator(key)
    await openAccount()
    fireEvent.click(await (await section()).findByRole('button', { name: 'Add passkey' }, pageTimeout))
    const form = await dialog('Add passkey')
    type(form, 'Name', 'telephone')
    type(form, 'Current password', PASSWORD)
    fireEvent.click(form.getByRole('button', { name: 'Add passkey' }))
    fireEvent.click(await (await section()).findByRole('button', { name: 'Rename passkey telephone' }, pageTimeout))
    const renaming = await dialog('Rename passkey “telephone”')
    type(renaming, 'Name', 'work laptop')
    fireEvent.click(renaming.getByRole('button', { name: 'Rename' }))
    expect(await (await section()).findByText('work laptop', {}, pageTimeout)).toBeTruthy()
    expect((await section()).getByText('for localhost')).toBeTruthy()
    page!.close()

    page = await renderPage('/login/alpha', { server })
    fireEvent.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }, pageTimeout))
    await vi.waitFor(
      () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'project_member' } }),
      pageTimeout,
    )
    // after the session has ended, a dialog over the page renews it with the passkey
    await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
    await server.tools.sessions.signOut(sessionNow().scopedToken!)
    const asked = call(sshKeys.list, {})
    const again = await dialog('Sign in again to continue')
    fireEvent.click(await again.findByRole('button', { name: 'Sign in with a passkey' }, pageTimeout))
    await expect(asked).resolves.toMatchObject({ data: [] })
    await vi.waitFor(
      () => expect(screen.queryByRole('dialog', { name: 'Sign in again to continue' })).toBeNull(),
      pageTimeout,
    )
    page.close()

    const { id } = server.cast.people['project-member'].user
    page = await renderPage(`/users/${id}/properties`, { server, as: 'domain-admin' })
    expect(await screen.findByText(/^1 passkey, last used/, {}, pageTimeout)).toBeTruthy()
    fireEvent.click(await screen.findByRole('button', { name: 'Remove passkeys' }, pageTimeout))
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    fireEvent.click(question.getByRole('button', { name: 'Remove passkeys' }))
    await vi.waitFor(() => expect(screen.queryByText(/^1 passkey/)).toBeNull(), pageTimeout)
    page.close()

    // the browser still has the passkey, but the sign-in page no longer offers it
    page = await renderPage('/login/alpha', { server })
    await screen.findByLabelText('Username', {}, pageTimeout)
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull()
  },
)

it('keeps the form open and shows the error when the browser rejects the request', async () => {
  const refuse = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create: refuse, get: refuse } })
  await openAccount()
  fireEvent.click(await (await section()).findByRole('button', { name: 'Add passkey' }, pageTimeout))
  const form = await dialog('Add passkey')
  type(form, 'Name', 'telephone')
  type(form, 'Current password', PASSWORD)
  fireEvent.click(form.getByRole('button', { name: 'Add passkey' }))
  expect(await form.findByText(/The passkey request was cancelled or timed out/, {}, pageTimeout)).toBeTruthy()
})

it('explains why passkeys are unavailable and hides the button in an insecure context', async () => {
  vi.stubGlobal('isSecureContext', false)
  await openAccount()
  expect(await (await section()).findByText(/Open the console over HTTPS/, {}, pageTimeout)).toBeTruthy()
  expect((await section()).queryByRole('button', { name: 'Add passkey' })).toBeNull()
})
