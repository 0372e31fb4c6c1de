import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { session } from '@mainstay/contract/identity/session'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { PASSWORD, type Persona } from '../../../../server/src/testing/personas'
import { codeNow } from '../../../../server/src/testing/sign-in/totp-code'
import { call } from '../../api/call'
import { notify, useNotices } from '../../notices/notices'
import { imageUpload } from '../../notices/image-upload'
import { forgetUploads, startUpload, useUploads } from '../../notices/uploads'
import { followOtherTab } from '../../session/access-check'
import { sessionNow, setSession } from '../../session/session'
import { renderPage } from '../../testing/render-page'
import { server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* A session that ends while the user is working. */

withPages()
let page: Awaited<ReturnType<typeof renderPage>> | undefined
afterEach(() => {
  forgetUploads()
  page?.close()
  vi.unstubAllGlobals()
})
const long = { timeout: 180_000 }

const loginOf = (who: Persona) => ({ username: server.cast.people[who].user.name, password: PASSWORD, domain: 'alpha' })

/** Opens a page for a user who has just signed in with a password, in the project `alpha-one`. */
async function openAs(who: Persona, path: string) {
  const { token, name } = await server.call(session.login, { body: loginOf(who) })
  const id = server.cast.projects['alpha-one']!.id
  const scoped = await server.call(session.enterProject, { as: { token: token! }, params: { id } })
  page = await renderPage(path, { server, token: scoped.token, cookie: token! })
  setSession({ project: { id, name: 'alpha-one' }, domain: 'alpha' })
  // wait until the page is loaded, because the tests check that it is kept
  await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
  return { name, token: token! }
}
/** Ends the session, as an administrator or the maximum session age would. */
const endSession = () => server.tools.sessions.endOf(sessionNow().user!.id)
const again = async () => within(await screen.findByRole('dialog', { name: 'Sign in again to continue' }, pageTimeout))

async function comeBack() {
  const dialog = await again()
  fireEvent.change(dialog.getByLabelText('Password'), { target: { value: PASSWORD } })
  fireEvent.click(dialog.getByRole('button', { name: 'Sign in' }))
}
const isBack = () =>
  vi.waitFor(() => expect(screen.queryByRole('dialog', { name: 'Sign in again to continue' })).toBeNull(), pageTimeout)

const keyNames = async (who: Persona) => {
  const { token } = await server.call(session.login, { body: loginOf(who) })
  const id = server.cast.projects['alpha-one']!.id
  const scoped = await server.call(session.enterProject, { as: { token: token! }, params: { id } })
  return (await server.call(sshKeys.list, { as: { token: scoped.token } })).data.map(({ name }) => name)
}

it(
  'if the session ends in the wizard, keeps the input and opens the requested step after the sign-in',
  long,
  async () => {
    await openAs('project-admin', '/compute/instances/add')
    const name = await screen.findByLabelText<HTMLInputElement>('Name', {}, pageTimeout)
    fireEvent.change(name, { target: { value: 'web-7' } })
    await endSession()
    fireEvent.click(await screen.findByRole('link', { name: /: SSH key/ }, pageTimeout))
    const asked = call(sshKeys.list, {})
    const dialog = await again()
    expect(dialog.getByText(/^Your session ended at .*\. Nothing on this page is lost\.$/)).toBeTruthy()
    expect(dialog.getByText('project_admin')).toBeTruthy()
    await comeBack()
    await isBack()
    await expect(asked).resolves.toMatchObject({ data: [] })
    await screen.findByRole('dialog', { name: 'SSH key' }, pageTimeout)
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('web-7')
    expect(page!.address()).toBe('/compute/instances/add/key')
  },
)

it('if the session ends before a form is sent, sends it exactly once after the sign-in', long, async () => {
  await openAs('project-admin', '/compute/ssh-keys/add')
  const form = within(await screen.findByRole('dialog', { name: 'Add SSH key' }, pageTimeout))
  fireEvent.click(form.getByRole('radio', { name: /Generate/ }))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'made once' } })
  await endSession()
  fireEvent.click(form.getByRole('button', { name: 'Add SSH key' }))
  const dialog = await again()
  expect(await dialog.findByText(/Your last change is sent again after you sign in/, {}, pageTimeout)).toBeTruthy()
  // a wrong password changes nothing
  fireEvent.change(dialog.getByLabelText('Password'), { target: { value: 'wrong' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Sign in' }))
  await dialog.findByText('The username or password is incorrect', {}, pageTimeout)
  expect(await keyNames('project-admin')).toEqual([])
  await comeBack()
  await isBack()
  await vi.waitFor(async () => expect(await keyNames('project-admin')).toEqual(['made once']), pageTimeout)
})

it(
  'if the session ends before a bulk action, keeps filter and selection and runs each action once after the sign-in',
  long,
  async () => {
    const { token } = await openAs('project-member', '/no-service')
    const id = server.cast.projects['alpha-one']!.id
    const scoped = await server.call(session.enterProject, { as: { token }, params: { id } })
    for (const name of ['run-1', 'run-2', 'run-3', 'stays'])
      await server.call(sshKeys.generate, { as: { token: scoped.token }, body: { name, type: 'ed25519' } })
    page!.close()
    await openAs('project-member', '/compute/ssh-keys?search=run')
    await screen.findByText('run-1', {}, pageTimeout)
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows shown' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Delete' }, pageTimeout))
    const run = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    const begin = run.getByRole('button', { name: /^Delete 3/ })
    // the button is enabled once the server has confirmed that it would accept the action for all selected rows
    await vi.waitFor(() => expect(begin.getAttribute('aria-disabled')).toBeNull(), pageTimeout)
    await endSession()
    fireEvent.click(begin)
    await again()
    expect(page!.address()).toBe('/compute/ssh-keys?search=run')
    await comeBack()
    await isBack()
    await vi.waitFor(async () => expect(await keyNames('project-member')).toEqual(['stays']), pageTimeout)
    expect(page!.address()).toBe('/compute/ssh-keys?search=run')
  },
)

/** A fake XMLHttpRequest that holds each request until the test answers it. */
class HeldRequest extends EventTarget {
  static sent: HeldRequest[] = []
  readonly upload = new EventTarget()
  readonly headers: Record<string, string> = {}
  status = 0
  responseText = ''
  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name.toLowerCase()] = value
  }
  getResponseHeader() {
    return null
  }
  send() {
    HeldRequest.sent.push(this)
  }
  abort() {
    this.dispatchEvent(new Event('abort'))
    this.dispatchEvent(new Event('loadend'))
  }
  answer(status: number, body: unknown) {
    this.status = status
    this.responseText = JSON.stringify(body)
    this.dispatchEvent(new Event('load'))
    this.dispatchEvent(new Event('loadend'))
  }
}

it('if the session ends during an upload, the upload waits and continues in the new session', long, async () => {
  HeldRequest.sent = []
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
  await openAs('domain-admin', '/tasks')
  await screen.findByRole('button', { name: /^Notifications/ }, pageTimeout)
  const before = sessionNow().scopedToken
  act(() => void startUpload(imageUpload, 'rescue', { file: new File(['0123456789'], 'rescue.raw') }))
  await vi.waitFor(() => expect(HeldRequest.sent).toHaveLength(1))
  expect(HeldRequest.sent[0]!.headers['x-auth-token']).toBe(before)
  await endSession()
  HeldRequest.sent[0]!.answer(401, { error: { message: 'Sign in', err_code: 'not_signed_in' } })
  const dialog = await again()
  expect(await dialog.findByText(/The upload of rescue continues after you sign in\./, {}, pageTimeout)).toBeTruthy()
  expect(useUploads.getState().uploads).toMatchObject([{ status: 'PROGRESS' }])
  await comeBack()
  await isBack()
  await vi.waitFor(() => expect(HeldRequest.sent).toHaveLength(2), pageTimeout)
  const [first, second] = HeldRequest.sent.map(({ headers }) => headers)
  expect(second!['x-auth-token']).not.toBe(before)
  expect(second!['x-hci-upload-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(second!['x-hci-upload-id']).toBe(first!['x-hci-upload-id'])
  act(() => HeldRequest.sent[1]!.answer(202, { id: 'image' }))
  await vi.waitFor(() => expect(useUploads.getState().uploads).toMatchObject([{ status: 'UPLOADED' }]), pageTimeout)
})

it('also asks for a second factor in the dialog over the page', long, async () => {
  const { token } = await openAs('project-member', '/compute/ssh-keys')
  const as = { token }
  const { secret } = await server.call(secondFactor.begin, { as, body: { current_password: PASSWORD } })
  const { recovery_codes } = await server.call(secondFactor.confirm, { as, body: { code: codeNow(secret) } })
  await screen.findByRole('heading', { name: 'SSH keys' }, pageTimeout)
  await endSession()
  const asked = call(sshKeys.list, {})
  await comeBack()
  const dialog = await again()
  fireEvent.change(await dialog.findByLabelText('Code', {}, pageTimeout), { target: { value: recovery_codes[0] } })
  fireEvent.click(dialog.getByRole('button', { name: 'Continue' }))
  await isBack()
  await expect(asked).resolves.toMatchObject({ data: expect.any(Array) as unknown })
  expect(page!.address()).toBe('/compute/ssh-keys')
})

it('a different user sees no data from the previous one', long, async () => {
  const { name } = await openAs('project-admin', '/compute/ssh-keys')
  await screen.findByRole('button', { name: /^Notifications/ }, pageTimeout)
  act(() => void notify({ type: 'error', title: 'only for the first' }))
  await endSession()
  const asked = call(sshKeys.list, {}).catch(() => 'given up')
  fireEvent.click((await again()).getByRole('button', { name: 'Not you?' }))
  await vi.waitFor(() => expect(page!.address()).toMatch(/^\/login/), pageTimeout)
  expect(await asked).toBe('given up')
  // no redirect to the previous user’s page
  await vi.waitFor(() => expect(page!.address()).not.toContain('redirectUrl'), pageTimeout)
  expect(JSON.stringify({ ...localStorage })).not.toMatch(new RegExp(`${name}|only for the first`))
  const { username } = loginOf('domain-admin')
  fireEvent.change(await screen.findByLabelText('Username', {}, pageTimeout), { target: { value: username } })
  const domain = screen.queryByLabelText(/^Domain/)
  if (domain) fireEvent.change(domain, { target: { value: 'alpha' } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: PASSWORD } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await vi.waitFor(
    () => expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: username } }),
    pageTimeout,
  )
  await screen.findByRole('button', { name: 'Notifications' }, pageTimeout)
  expect(useNotices.getState().notices.map(({ title }) => title)).not.toContain('only for the first')
})

it(
  'stops the page, which sends no further requests, if a different user has signed in in another tab',
  long,
  async () => {
    await openAs('project-admin', '/compute/ssh-keys')
    const other = { id: 'bo', name: 'bo' }
    await endSession()
    const asked = call(sshKeys.generate, { body: { name: 'of whom', type: 'ed25519' } }).catch(() => 'given up')
    await again()
    localStorage.setItem('user', JSON.stringify(other))
    localStorage.setItem('scopedToken', 'of bo')
    await act(() => followOtherTab(other as never))
    await screen.findByRole('alertdialog', { name: 'bo has signed in' }, pageTimeout)
    expect(screen.getByRole('button', { name: 'Continue as bo' })).toBeTruthy()
    expect(await asked).toBe('given up')
    expect(await call(sshKeys.list, {}).catch(() => 'given up')).toBe('given up')
    // sign-out keeps the data that the other tab has stored
    act(() => setSession({ isRestarting: false }))
    expect(JSON.parse(localStorage.getItem('user')!)).toEqual(other)
    expect(localStorage.getItem('scopedToken')).toBe('of bo')
  },
)

it('stays in this page’s project if the same user signed in in another tab', long, async () => {
  await openAs('domain-admin', '/compute/ssh-keys')
  await endSession()
  const asked = call(sshKeys.list, {})
  await again()
  const kept = sessionNow().user
  // the other tab has entered a different scope
  await call(session.login, { body: loginOf('domain-admin') })
  await act(() => followOtherTab(kept))
  await isBack()
  await expect(asked).resolves.toMatchObject({ data: expect.any(Array) as unknown })
  const { scope } = await call(session.meta, {})
  expect(scope.project_id).toBe(server.cast.projects['alpha-one']!.id)
})
