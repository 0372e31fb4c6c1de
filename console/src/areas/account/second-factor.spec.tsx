import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { codeNow } from '../../../../server/src/testing/sign-in/totp-code'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { sessionNow } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* Second factor: setup on the account page, verification at sign-in, and reset by an administrator. */

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }, pageTimeout))

it(
  'is set up with a QR code and a first code, required at sign-in, and reset by an administrator',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const { token } = await server.call(session.login, {
      body: { username: 'project_member', password: PASSWORD, domain: 'alpha' },
    })
    page = await renderPage('/account', { server, as: 'project-member', cookie: token! })
    const section = within(await screen.findByRole('region', { name: 'Second factor' }, pageTimeout))
    fireEvent.click(await section.findByRole('button', { name: 'Set up' }, pageTimeout))
    const first = await dialog('Set up a second factor')
    fireEvent.change(first.getByLabelText('Current password'), { target: { value: PASSWORD } })
    fireEvent.click(first.getByRole('button', { name: 'Next' }))
    const picture = await screen.findByRole('img', { name: 'QR code with the setup key' }, pageTimeout)
    const second = within(picture.closest<HTMLElement>('[role=dialog]')!)
    const [secret] = /[A-Z2-7]{32}/.exec(second.getByText(/^[A-Z2-7]{32}$/).textContent)!
    fireEvent.change(second.getByLabelText('Code'), {
      target: { value: codeNow(secret) },
    })
    fireEvent.click(second.getByRole('button', { name: 'Turn on' }))
    const codes = await dialog('Recovery codes')
    const listed = codes.getAllByRole('listitem').map((item) => item.textContent)
    expect(listed).toHaveLength(10)
    fireEvent.click(codes.getByRole('button', { name: 'I have saved these codes' }))
    expect(await section.findByText(/10 recovery codes are left/, {}, pageTimeout)).toBeTruthy()
    page.close()

    page = await renderPage('/login/alpha', { server })
    fireEvent.change(await screen.findByLabelText('Username', {}, pageTimeout), { target: { value: 'project_member' } })
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: PASSWORD } })
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
    const code = await screen.findByLabelText('Code', {}, pageTimeout)
    expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null })
    fireEvent.change(code, { target: { value: 'AAAA-AAAA-AAAA-AAAA' } })
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByText(/The code is incorrect or has already been used/, {}, pageTimeout)).toBeTruthy()
    fireEvent.change(code, { target: { value: listed[0] } })
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
    await vi.waitFor(
      () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'project_member' } }),
      pageTimeout,
    )
    page.close()

    const { id } = server.cast.people['project-member'].user
    page = await renderPage(`/users/${id}/properties`, { server, as: 'domain-admin' })
    fireEvent.click(await screen.findByRole('button', { name: 'Reset second factor' }, pageTimeout))
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    fireEvent.click(question.getByRole('button', { name: 'Reset second factor' }))
    const body = { username: 'project_member', password: PASSWORD, domain: 'alpha' }
    await vi.waitFor(
      async () => expect(await server.call(session.login, { body })).toMatchObject({ name: 'project_member' }),
      pageTimeout,
    )
    await vi.waitFor(
      () => expect(screen.queryByRole('button', { name: 'Reset second factor' })).toBeNull(),
      pageTimeout,
    )
    expect(await server.call(users.view, { as: 'domain-admin', params: { id } })).toMatchObject({ id })
  },
)
