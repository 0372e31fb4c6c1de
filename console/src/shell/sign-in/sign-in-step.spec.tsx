import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import { users } from '@mainstay/contract/identity/users'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { sessionNow } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* The steps that follow the password on the sign-in page. */

const NEXT = 'Another horse, 2'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

it(
  'a user whose password was set by an administrator chooses a new one and is then signed in',
  { tags: 'all' },
  async () => {
    await server.call(users.create, {
      as: 'domain-admin',
      body: {
        ...{ name: 'newcomer', password: PASSWORD, must_change_password: true },
        assigned_projects: [{ project_id: server.cast.projects['alpha-one']!.id, role: 'project_member' }],
      },
    })
    page = await renderPage('/login/alpha', { server })
    await screen.findByLabelText('Username', {}, pageTimeout)
    type('Username', 'newcomer')
    type('Password', PASSWORD)
    press('Sign in')
    expect(await screen.findByText(/Your password was set by someone else/, {}, pageTimeout)).toBeTruthy()
    expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null })
    type('New password', 'short 1')
    type('Repeat new password', 'short 1')
    press('Choose password and sign in')
    expect(await screen.findByText(/or at least 16 characters with letters and digits$/, {}, pageTimeout)).toBeTruthy()
    type('New password', NEXT)
    press('Choose password and sign in')
    expect(await screen.findByText('The passwords do not match', {}, pageTimeout)).toBeTruthy()
    type('Repeat new password', NEXT)
    press('Choose password and sign in')
    await vi.waitFor(
      () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'newcomer' } }),
      pageTimeout,
    )
  },
)
