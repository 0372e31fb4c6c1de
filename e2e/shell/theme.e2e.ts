import { expect } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { domains } from '@mainstay/contract/identity/domains'
import { THEME } from '@mainstay/contract/identity/themes'
import { users } from '@mainstay/contract/identity/users'
import { adminPassword } from '../support/server'
import { test } from '../support/test'

const drawn = (colour: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><rect width="4" height="1" fill="${colour}"/></svg>`).toString('base64')}`
/** A single green pixel. */
const favicon =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('shows a spinner while the page and theme load, and then the branding of the domain [UI-059] [CA-118] [UI-056]', async ({
  page,
  server,
  signedIn,
  playwright,
  expectAccessible,
}) => {
  const operator = await playwright.request.newContext({
    baseURL: server.adminUrl,
    storageState: await signedIn('operator'),
    extraHTTPHeaders: { 'x-requested-with': 'journey' },
  })
  const made = await operator.post(domains.create.path, { data: { name: 'Acme' } })
  expect(made.status()).toBe(201)
  const { id: domain_id } = (await made.json()) as { id: string }
  const ann = { name: 'ann', password: adminPassword, domain_permissions: ['domain_admin'] }
  const asked = await operator.post(fillPath(users.create.path, { domain_id }), { data: ann })
  expect(asked.status()).toBe(201)
  const theme = {
    ...{ productTitle: 'Acme private cloud', productName: 'Acme', colorScheme: 'plum', limitedUse: true },
    ...{ logo: drawn('white'), loginLogo: drawn('plum'), favicon },
  }
  const props = fillPath(domainProperties.create.path, { domain_id, key: THEME })
  expect((await operator.post(props, { data: { data: theme, access: 'pub' } })).status()).toBe(201)
  await operator.dispose()

  // delays the theme: the page stays hidden until it loads
  const isTheme = (url: URL) => url.pathname.endsWith(`/props/${THEME}`)
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route(isTheme, async (route) => {
    await held
    await route.continue()
  })
  await page.clock.install()
  const wanted = page.waitForRequest((request) => isTheme(new URL(request.url())))
  await page.goto('/login/Acme')
  expect(decodeURIComponent((await wanted).url())).toContain('/domains/Acme/props/')
  await page.clock.runFor(500)
  await expect(page.locator('[aria-busy=true]')).toBeVisible()
  await expect(page.getByLabel('Username')).toBeHidden()
  await page.clock.resume()
  answer()
  await expect(page.getByLabel('Username')).toBeVisible()
  await page.unroute(isTheme)

  await expect(page).toHaveTitle('Sign in - Acme private cloud')
  await expect(page.getByText('Acme private cloud')).toBeVisible()
  await expect(page.getByText('This installation is for limited use only.')).toBeVisible()
  await expect(page.locator(`main img[src="${theme.loginLogo}"]`)).toBeVisible()
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe(favicon)
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  await expect(button).toHaveCSS('background-color', 'rgb(134, 25, 143)')
  await expectAccessible()

  // the spinner is also shown while a page's code loads
  await page.emulateMedia({ colorScheme: 'light' })
  let bring = () => {}
  const late = new Promise<void>((resolve) => (bring = resolve))
  const isCode = (url: URL) => /\/assets\/UserListPage-/.test(url.pathname)
  await page.route(isCode, async (route) => {
    await late
    await route.continue()
  })
  await page.getByLabel('Username').fill('ann')
  await page.getByLabel('Password', { exact: true }).fill(adminPassword)
  await button.click()
  await expect(page.locator('[aria-busy=true]')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Users' })).toBeHidden()
  bring()
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
  await expect(page).toHaveTitle('Users - Acme private cloud')
  const banner = page.getByRole('banner')
  await expect(banner.getByText('Acme', { exact: true })).toBeVisible()
  await expect(banner.locator(`img[src="${theme.logo}"]`)).toBeVisible()

  // other domains do not use this theme
  await page.getByRole('button', { name: 'Account menu: ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await expect(page).toHaveURL(/\/login/)
  await page.goto('/login/Default')
  await expect(page).toHaveTitle('Sign in - Mainstay')
  expect(await page.locator('link[rel=icon]').getAttribute('href')).not.toBe(favicon)
})
