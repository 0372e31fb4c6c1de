import { fireEvent, screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { codeNow } from '../../../../server/src/testing/sign-in/totp-code'
import { sessionNow } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* A domain that requires a second factor, and the sign-in of a user who has none. */

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

it(
  'users set up a required second factor during sign-in and are signed in after saving the recovery codes',
  { timeout: 120_000 },
  async () => {
    const { id } = server.cast.domains['alpha']!
    page = await renderPage(`/domains/${id}`, { server, as: 'superuser' })
    const section = within(await screen.findByRole('region', { name: 'Second factor' }, pageTimeout))
    expect(
      section.getByText(
        /^Optional\. Only users who have set up a second factor are asked for it\. \d+ users have no second factor\.$/,
      ),
    ).toBeTruthy()
    fireEvent.click(section.getByRole('button', { name: 'Require second factor' }))
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    fireEvent.click(question.getByRole('button', { name: 'Require second factor' }))
    expect(
      await section.findByText(
        /^Required\. Users without a second factor must set one up at their next sign-in/,
        {},
        pageTimeout,
      ),
    ).toBeTruthy()
    page.close()

    page = await renderPage('/login/alpha', { server })
    fireEvent.change(await screen.findByLabelText('Username', {}, pageTimeout), { target: { value: 'project_member' } })
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: PASSWORD } })
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Use an authenticator app' }, pageTimeout))
    await screen.findByRole('img', { name: 'QR code with the setup key' }, pageTimeout)
    const code = screen.getByLabelText('Code')
    fireEvent.change(code, { target: { value: '000000' } })
    fireEvent.click(screen.getByRole('button', { name: 'Turn on' }))
    expect(
      await screen.findByText(
        'This code does not match the code that your authenticator app currently shows',
        {},
        pageTimeout,
      ),
    ).toBeTruthy()
    fireEvent.change(code, { target: { value: codeNow(screen.getByText(/^[A-Z2-7]{32}$/).textContent) } })
    fireEvent.click(screen.getByRole('button', { name: 'Turn on' }))
    const kept = await screen.findByRole('button', { name: 'I have saved these codes' }, pageTimeout)
    expect(screen.getAllByRole('listitem')).toHaveLength(10)
    expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null })
    fireEvent.click(kept)
    await vi.waitFor(
      () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'project_member' } }),
      pageTimeout,
    )
  },
)
