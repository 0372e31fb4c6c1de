import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import { PASSWORD, type PersonaName } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { sessionNow, setSession } from '../session/session'
import { signOut } from '../session/sign-out'
import { withLayout } from '../testing/browser'
import { renderPage } from '../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const open = async (path: string, as?: PersonaName) => {
  page = await renderPage(path, { server, ...(as && { as }) })
  return page
}
const openKeys = async (as: PersonaName = 'other-member') => {
  const opened = await open('/compute/ssh-keys', as)
  await screen.findByRole('heading', { name: 'SSH keys' })
  return opened
}
const comesTo = (address: string) => vi.waitFor(() => expect(page!.address()).toBe(address))

it('redirects to the domain’s sign-in page after sign-out, with a return URL [ST-005] [ST-006]', async () => {
  await openKeys('project-member')
  setSession({ domain: 'alpha' })
  await signOut()
  await comesTo('/login/alpha?redirectUrl=/compute/ssh-keys')
})

it('stays on the sign-in page when the user is already there [ST-006]', async () => {
  const { address } = await open('/login/alpha?redirectUrl=/compute/ssh-keys', 'project-admin')
  const before = address()
  await signOut()
  await screen.findByRole('button', { name: 'Sign in' })
  expect(address()).toBe(before)
})

it('redirects to the access-disabled page when access is disabled [ST-008] [RT-026]', async () => {
  await openKeys()
  setSession({ accessDisabled: 'project' })
  await comesTo('/access-disabled')
  await screen.findByRole('heading', { name: 'Access disabled' })
})

it('redirects to the home page when access is enabled again [ST-009]', async () => {
  await openKeys()
  setSession({ accessDisabled: 'user' })
  await comesTo('/access-disabled')
  const visited: string[] = []
  const stop = page!.router.subscribe('onBeforeNavigate', ({ toLocation }) => visited.push(toLocation.pathname))
  setSession({ accessDisabled: null })
  await comesTo('/monitoring')
  stop()
  expect(visited[0]).toBe('/')
})

it('takes the domain from the sign-in page’s path, or else shows a field for it [RT-005]', async () => {
  await open('/login')
  await screen.findByRole('button', { name: 'Sign in' })
  expect(screen.getByLabelText(/Domain/)).toBeTruthy()
  page!.close()
  await open('/login/alpha')
  await screen.findByRole('button', { name: 'Sign in' })
  expect(screen.queryByLabelText(/Domain/)).toBeNull()
  fireEvent.change(screen.getByLabelText('Username'), { target: { value: 'project_member' } })
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: PASSWORD } })
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))
  await vi.waitFor(() => expect(sessionNow()).toMatchObject({ status: 'signed-in', domain: 'alpha' }))
})
