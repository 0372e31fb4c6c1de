import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, screen } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { setLanguage } from '../../i18n/language'
import { sessionNow, setSession } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

/** Opens a page without signing in and expects this heading. */
async function shows(path: string, heading: string) {
  page = await renderPage(path, { server })
  await screen.findByRole('heading', { name: heading })
  expect(page.address()).toBe(path)
}

it('/error shows a generic error [RT-021]', () => shows('/error', 'Something went wrong'))
it('/error403 shows that access is denied [RT-022]', () => shows('/error403', 'No access'))
it('/error404 shows that the page was not found [RT-023]', () => shows('/error404', 'Page not found'))
it('/error500 shows a server error [RT-024]', () => shows('/error500', 'Server error'))
it('/error503 shows that the service is temporarily unavailable [RT-025]', () =>
  shows('/error503', 'Service temporarily unavailable'))
it('/service-unavailable shows that the platform is being reconfigured [RT-020]', () =>
  shows('/service-unavailable', 'Reconfiguration in progress'))
it('/error-service-disabled shows that the service is disabled [RT-028]', () =>
  shows('/error-service-disabled', 'Service is disabled'))

it('/void is an empty page for embedding portals [RT-014]', async () => {
  page = await renderPage('/void', { server })
  await page.router.load()
  expect([page.address(), page.container.textContent]).toEqual(['/void', ''])
})

it('/no-service shows that no service is available [RT-013]', async () => {
  page = await renderPage('/no-service', { server, as: 'project-member' })
  await screen.findByRole('heading', { name: 'No services available' })
  expect(page.address()).toBe('/no-service')
})

it('translates error pages and empty lists [ER-028]', async () => {
  const bare = [
    'error',
    'error403',
    'error404',
    'error500',
    'error503',
    'service-unavailable',
    'error-service-disabled',
  ]
  const pages = [
    ...bare.map((path) => ({ path: `/${path}`, as: undefined })),
    { path: '/no-service', as: 'project-member' as const },
    { path: '/compute/ssh-keys', as: 'project-member' as const },
  ]
  // the pseudo-language has an accent on every letter
  await act(() => setLanguage('en-XA'))
  try {
    for (const { path, as } of pages) {
      page = await renderPage(path, { server, ...(as && { as }) })
      await screen.findByRole('heading', { level: 1 })
      if (as) await screen.findByText(path === '/no-service' ? /^\[Ñö šéŕṽíçéš/ : /^\[Ñö ŠŠĤ/)
      const text = (as ? screen.getByRole('main') : page.container).textContent
      expect(text, path).toMatch(/\[[^\]]+~\]/)
      const plain = text.match(/(?<![\p{L}\p{M}])[A-Za-z]{2,}(?![\p{L}\p{M}])/gu) ?? []
      expect(
        plain.filter((word) => word !== 'Mainstay'),
        path,
      ).toEqual([])
      page.close()
    }
  } finally {
    await act(() => setLanguage('en'))
  }
})

it('shows error pages inside the frame with the menu to signed-in users, and without a menu to others', async () => {
  for (const path of ['/error', '/error403', '/error404', '/error500', '/no/such/page']) {
    page = await renderPage(path, { server, as: 'project-member' })
    expect(await screen.findByRole('navigation', { name: 'Main menu' }), path).toBeTruthy()
    // a single main landmark that contains the error
    expect(screen.getByRole('main').querySelector('h1')!.textContent, path).not.toBe('')
    page.close()
    page = await renderPage(path, { server })
    await screen.findByRole('heading', { level: 1 })
    expect(screen.queryByRole('navigation'), path).toBeNull()
    page.close()
  }
  page = undefined
})

it('users without access get a menu with language (if there is a choice), password and sign out [UI-077]', async () => {
  const entries = async (change?: () => void) => {
    page = await renderPage('/access-disabled', { server, as: 'project-member' })
    setSession({ accessDisabled: 'project' })
    change?.()
    await screen.findByRole('heading', { name: 'Access disabled' })
    await pressAndLoad(await screen.findByRole('button', { name: /^Account menu: / }))
    const found = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
    page.close()
    page = undefined
    return found
  }
  expect(await entries()).toEqual(['Change language', 'Change password', 'Sign out'])
  const elsewhere = () => setSession({ user: { ...sessionNow().user!, external_provider: 'company' } })
  expect(await entries(elsewhere)).toEqual(['Change language', 'Sign out'])
  // as in a build, which offers only one language
  vi.stubEnv('DEV', false)
  try {
    expect(await entries()).toEqual(['Change password', 'Sign out'])
  } finally {
    vi.unstubAllEnvs()
  }
})
