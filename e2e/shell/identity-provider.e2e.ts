import { expect } from '@playwright/test'
import { startCloudWithProvider } from '../../server/src/testing/outside/identity-provider'
import { startServer } from '../support/server'
import { test as base } from '../support/test'

/** Requires a real browser, because the tests depend on the cookies and origins that the browser sends. */
const test = base.extend<object, { cloud: Awaited<ReturnType<typeof startCloudWithProvider>> }>({
  cloud: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright requires a destructuring pattern
    async ({}, use) => {
      const fixture = await startCloudWithProvider()
      await use(fixture)
      await fixture.cloud.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ cloud }, use) => {
      const server = await startServer(cloud.environment)
      // use another host name, so that the browser treats the console and the cloud as different sites
      await use({ ...server, url: server.url.replace('127.0.0.1', 'localhost') })
      await server.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
})

test('signs in through an identity provider on another site, and signs out [UI-050] [RT-016]', async ({
  page,
  context,
  expectAccessible,
}) => {
  await page.goto('/compute/ssh-keys')
  const there = page.getByRole('button', { name: 'Sign in with The company' })
  await expect(there).toBeVisible()
  await expectAccessible()
  await there.click()
  await expect(page).toHaveURL('/compute/ssh-keys')
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  expect((await context.cookies()).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['session-self-service', true, 'Strict'],
  ])

  await page.getByRole('button', { name: 'Account menu: fay' }).click()
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeHidden()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/logout=true/)
  await expect(page.getByText('You have been signed out.')).toBeVisible()
  await expectAccessible()
})

test('the page for an identity provider redirects to it automatically [RT-006]', { tag: '@all' }, async ({ page }) => {
  await page.goto('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await expect(page).toHaveURL('/compute/ssh-keys')
})

test('rejects a sign-in that another site posts for a different user', async ({ page, context, cloud, server }) => {
  const token = cloud.tokenOf('u-fay')
  await page.route('http://evil.test/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form action="${server.url}/auth/landing" method="post"><input name="token" value="${token}"></form>
        <script>document.forms[0].submit()</script>`,
    }),
  )
  // a sign-in has started, so only the form's origin reveals the attack
  await page.goto('/login')
  await page.evaluate(() =>
    fetch('/api/v2/login/providers/company', { method: 'POST', headers: { 'x-requested-with': 'XMLHttpRequest' } }),
  )
  expect((await context.cookies(`${server.url}/auth/landing`)).map(({ name }) => name)).toEqual(['hand-over'])
  await page.goto('http://evil.test/')
  await expect(page).toHaveURL(/\/login\?failed=true&reason=refused/)
  await expect(page.getByRole('alert')).toContainText('the identity provider’s response was not accepted')
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('session-self-service')
})
