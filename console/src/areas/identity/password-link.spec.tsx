import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { session } from '@mainstay/contract/identity/session'
import { notifications } from '@mainstay/contract/settings/notifications'
import { users } from '@mainstay/contract/identity/users'
import { startMailServer, type MailServer } from '../../../../server/src/testing/outside/mail-server'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { sessionNow } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* Tests links created by an administrator that let a user choose a password. */

const NEXT = 'Another horse, 2'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => {
  page?.close()
  location.hash = ''
})

/** Runs `work` with a configured mail server. */
async function withMail(work: (mail: MailServer) => Promise<void>) {
  const mail = await startMailServer()
  const set = (smtp_server: string) =>
    server.call(notifications.save, {
      as: 'superuser',
      body: {
        notification_settings: { from: 'cloud@example.com', email_recipients_list: [], alerts_severities: [] },
        smtp_settings: { smtp_server, port: mail.port, connection_security: 'none' },
      },
    })
  try {
    await set('127.0.0.1')
    await work(mail)
  } finally {
    await set('')
    await mail.close()
  }
}
const makeUser = (name: string) =>
  server.call(users.create, {
    as: 'domain-admin',
    body: {
      name,
      password: PASSWORD,
      assigned_projects: [{ project_id: server.cast.projects['alpha-one']!.id, role: 'project_member' }],
    },
  })
async function makeLink(name: string): Promise<URL> {
  const { id } = await makeUser(name)
  page = await renderPage(`/users/${id}/link`, { server, as: 'domain-admin' })
  const dialog = await screen.findByRole('dialog', { name: `Password link for ${name}` }, pageTimeout)
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create link' }))
  await within(dialog).findByRole('button', { name: 'Done' }, pageTimeout)
  const link = /https?:\S+#[\w-]{43}/.exec(dialog.textContent)
  page.close()
  return new URL(link![0])
}
async function follow({ pathname, hash }: URL) {
  location.hash = hash
  page = await renderPage(pathname, { server })
}

it(
  'lets a user choose a password through a link from an administrator, then signs them in',
  { tags: 'all' },
  async () => {
    const link = await makeLink('invited_one')
    await follow(link)
    expect((await screen.findByText(/Choose a password for/, {}, pageTimeout)).textContent).toBe(
      'Choose a password for user invited_one in domain alpha.',
    )
    fireEvent.change(screen.getByLabelText('New password'), { target: { value: NEXT } })
    fireEvent.change(screen.getByLabelText('Repeat new password'), { target: { value: NEXT } })
    fireEvent.click(screen.getByRole('button', { name: 'Choose password and sign in' }))
    await vi.waitFor(
      () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'invited_one' } }),
      pageTimeout,
    )
    await vi.waitFor(() => expect(page!.address()).not.toContain('password-link'), pageTimeout)
    const body = { username: 'invited_one', password: NEXT, domain: 'alpha' }
    expect(await server.call(session.login, { body })).toMatchObject({ name: 'invited_one' })
  },
)

it('explains that a used link is no longer valid, and what to do', { tags: 'all' }, async () => {
  const link = await makeLink('invited_two')
  const token = link.hash.slice(1)

  await server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
  await follow(link)
  expect(await screen.findByRole('heading', { name: 'This link is not valid' }, pageTimeout)).toBeTruthy()
  expect(screen.getByText(/Ask your administrator for a new link/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login')
})

it('invites a new user without a password by email', { tags: 'all' }, async () => {
  await withMail(async (mail) => {
    page = await renderPage('/users/add', { server, as: 'domain-admin' })
    const form = within(await screen.findByRole('dialog', { name: 'Create user' }, pageTimeout))
    expect(form.queryByLabelText(/^Password/)).toBeNull()
    fireEvent.change(form.getByLabelText(/^Username/), { target: { value: 'invited_three' } })
    fireEvent.change(form.getByLabelText(/^Email/), { target: { value: 'three@example.com' } })
    fireEvent.click(form.getByRole('button', { name: 'Create user' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Password link for invited_three' }, pageTimeout))
    expect(
      dialog.getByRole<HTMLInputElement>('checkbox', { name: 'Also send the link to three@example.com' }).checked,
    ).toBe(true)
    fireEvent.click(dialog.getByRole('button', { name: 'Create link' }))
    expect(await dialog.findByText(/It was also sent to three@example.com/, {}, pageTimeout)).toBeTruthy()
    await vi.waitFor(() => expect(mail.taken.map(({ to }) => to)).toEqual([['three@example.com']]), pageTimeout)
  })
})

it(
  'sends a link from the sign-in page to users who forgot their password, if email is configured',
  { tags: 'all' },
  async () => {
    page = await renderPage('/login/alpha', { server })
    await screen.findByLabelText('Username', {}, pageTimeout)
    expect(screen.queryByRole('button', { name: 'Forgot password?' })).toBeNull()
    page.close()
    const { id } = await makeUser('forgetful')
    await server.call(users.update, { as: 'domain-admin', params: { id }, body: { email: 'four@example.com' } })
    await withMail(async (mail) => {
      page = await renderPage('/login/alpha', { server })
      fireEvent.change(await screen.findByLabelText('Username', {}, pageTimeout), { target: { value: 'forgetful' } })
      fireEvent.click(await screen.findByRole('button', { name: 'Forgot password?' }, pageTimeout))
      fireEvent.click(await screen.findByRole('button', { name: 'Send link' }, pageTimeout))
      expect(await screen.findByText(/If this account exists/, {}, pageTimeout)).toBeTruthy()
      await vi.waitFor(() => expect(mail.taken.map(({ to }) => to)).toEqual([['four@example.com']]), pageTimeout)
      fireEvent.click(screen.getByRole('button', { name: 'Back to sign-in' }))
      expect(await screen.findByLabelText('Password', {}, pageTimeout)).toBeTruthy()
    })
  },
)
