import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { account } from '@mainstay/contract/identity/account'
import { session } from '@mainstay/contract/identity/session'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { choose } from '../../testing/pages'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

/**
 * Signs in without a project, like the session from a browser cookie. Each test uses its own user because tests end
 * sessions.
 */
type Person = 'project-member' | 'project-admin'
const signIn = async (who: Person) => {
  const body = { username: who.replace('-', '_'), password: PASSWORD, domain: 'alpha' }
  return { token: (await server.call(session.login, { body })).token! }
}
const region = async (name: string) => within(await screen.findByRole('region', { name }, pageTimeout))

async function open(who: Person) {
  const as = await signIn(who)
  page = await renderPage('/account', { server, as: who, cookie: as.token })
  return as
}

it('shows the profile and the active sessions, and ends sessions [UI-034]', async () => {
  const other = await signIn('project-member')
  const as = await open('project-member')
  expect(await screen.findByRole('heading', { name: 'Your account' }, pageTimeout)).toBeTruthy()
  expect(screen.getByText('Username').nextSibling?.textContent).toBe('project_member')
  expect(screen.getByRole('button', { name: 'Change password' })).toBeTruthy()
  const sessions = await region('Active sessions')
  expect(await sessions.findAllByText('This session', {}, pageTimeout)).toHaveLength(1)
  const before = sessions.getAllByRole('button', { name: /^End session in/ }).length
  fireEvent.click(sessions.getAllByRole('button', { name: /^End session in/ })[0]!)
  await vi.waitFor(
    () => expect(sessions.queryAllByRole('button', { name: /^End session in/ })).toHaveLength(before - 1),
    pageTimeout,
  )
  fireEvent.click(sessions.getByRole('button', { name: 'End all other sessions' }))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  fireEvent.click(question.getByRole('button', { name: 'End all other sessions' }))
  await vi.waitFor(async () => expect((await server.call(account.sessions, { as })).data).toHaveLength(1), pageTimeout)
  await expect(server.call(session.whoami, { as: other })).rejects.toMatchObject({ status: 401 })
})

it('creates an API token, shows it once, and revokes it', { tags: 'all' }, async () => {
  const as = await open('project-admin')
  const tokens = await region('API tokens')
  fireEvent.click(await tokens.findByRole('button', { name: 'Create token' }, pageTimeout))
  const form = within(await screen.findByRole('dialog', { name: 'Create token' }, pageTimeout))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'nightly' } })
  fireEvent.click(form.getByRole('checkbox', { name: /Read-only/ }))
  fireEvent.click(form.getByRole('button', { name: 'Create token' }))
  const made = await screen.findByRole('dialog', { name: 'Token “nightly” created' }, pageTimeout)
  const [token] = /[\w-]{43}/.exec(made.textContent)!
  expect(await server.call(session.whoami, { as: { token } })).toMatchObject({ name: 'project_admin' })
  fireEvent.click(within(made).getByRole('button', { name: 'Done' }))
  expect(await tokens.findByText('nightly', {}, pageTimeout)).toBeTruthy()
  expect(document.body.textContent).not.toContain(token)
  expect((await server.call(account.tokens, { as })).data).toMatchObject([{ name: 'nightly', read_only: true }])
  fireEvent.click(tokens.getByRole('button', { name: 'Revoke token nightly' }))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  fireEvent.click(question.getByRole('button', { name: 'Revoke' }))
  await vi.waitFor(() => expect(tokens.queryByText('nightly')).toBeNull(), pageTimeout)
  await expect(server.call(session.whoami, { as: { token } })).rejects.toMatchObject({ status: 401 })
})

it('tells a user who was denied access to a page which permission is missing', { tags: 'all' }, async () => {
  const as = 'other-member'
  page = await renderPage('/error403', { server, as, cookie: await server.login(as) })
  fireEvent.click(await screen.findByRole('link', { name: 'Why?' }, pageTimeout))
  await region('Permissions')
  await choose(screen, 'Action', 'Create a flavor')
  expect(await screen.findByText('Not allowed for 1 reason', {}, pageTimeout)).toBeTruthy()
  expect(screen.getByText('compute_flavors: create')).toBeTruthy()
})
