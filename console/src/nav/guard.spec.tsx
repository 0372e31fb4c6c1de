import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { setSession } from '../session/session'
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

const open = async (path: string, as?: Parameters<typeof renderPage>[1]['as']) => {
  page = await renderPage(path, { server, ...(as && { as }) })
  return page
}

it('sends an anonymous visitor to sign-in with the way back [PE-004] [RT-007]', async () => {
  const { address } = await open('/compute/ssh-keys?search=web')
  await screen.findByRole('button', { name: 'Sign in' })
  expect(address()).toBe(`/login?redirectUrl=/compute/ssh-keys%3Fsearch%3Dweb`)
})

it('leads back to the domain that was signed in to [ST-005]', async () => {
  page = await renderPage('/void', { server })
  setSession({ domain: 'alpha' })
  await page.router.navigate({ to: '/compute/ssh-keys' })
  await screen.findByRole('button', { name: 'Sign in' })
  expect(page.address()).toBe('/login/alpha?redirectUrl=/compute/ssh-keys')
  expect(screen.queryByLabelText(/Domain/)).toBeNull()
})

it('shows a public page to anybody [PE-003] [RT-022]', async () => {
  await open('/error403')
  await screen.findByRole('heading', { name: 'No access' })
})

it('says at any other address that there is no page [RT-029]', async () => {
  await open('/nowhere/at/all')
  await screen.findByRole('heading', { name: 'Page not found' })
})

it('waits for permissions before it decides, and then shows the page [PE-005] [RT-010]', async () => {
  const { address } = await open('/compute', 'project-member')
  await vi.waitFor(() => expect(address()).toMatch(/^\/compute\/instances/), { timeout: 5000 })
})

it('goes to 403 where the role lacks the right [PE-006]', async () => {
  const { address } = await open('/compute/ssh-keys/add', 'viewer')
  await screen.findByRole('heading', { name: 'No access' }, { timeout: 5000 })
  expect(address()).toBe('/error403')
})

it('titles the window with the page and the product [UI-058]', async () => {
  await open('/compute/ssh-keys', 'project-member')
  await vi.waitFor(() => expect(document.title).toBe('SSH keys - Mainstay'), { timeout: 5000 })
})

it('leaves the access-disabled page when access is not off [RT-026] [RT-027]', async () => {
  const { address } = await open('/access-disabled', 'project-member')
  await vi.waitFor(() => expect(address()).not.toBe('/access-disabled'), { timeout: 5000 })
})
