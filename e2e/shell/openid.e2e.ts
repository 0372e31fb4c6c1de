import { expect } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { projects } from '@mainstay/contract/identity/projects'
import { CLIENT, startOpenIdProvider, trustLoopback } from '../../server/src/testing/openid-provider'
import { startServer } from '../support/server'
import { test as base } from '../support/test'

/** A provider of a company, and a server of which people see it as another site. */
const test = base.extend<object, { company: Awaited<ReturnType<typeof startOpenIdProvider>> }>({
  company: [
    // oxlint-disable-next-line no-empty-pattern -- the name and shape of fixtures is Playwright's
    async ({}, use) => {
      const company = await startOpenIdProvider()
      await use(company)
      await company.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ company: _ }, use) => {
      const server = await startServer(trustLoopback)
      await use({ ...server, url: server.url.replace('127.0.0.1', 'localhost') })
      await server.stop()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
})

test('somebody signs in with the account of the company, is in the project that a rule gives, and signs out [UI-050]', async ({
  page,
  company,
  server,
  signedIn,
  playwright,
  expectAccessible,
}) => {
  const admin = await playwright.request.newContext({
    baseURL: server.url,
    storageState: await signedIn('domain-admin'),
    extraHTTPHeaders: { 'x-requested-with': 'journey' },
  })
  const at = { domain_id: 'default' }
  const found = await admin.get(`${fillPath(projects.list.path, at)}?name=demo`)
  const { data } = (await found.json()) as { data: { id: string }[] }
  company.open([`${server.url}/auth/landing/openid/default`])
  company.accounts['grace'] = { preferred_username: 'grace@company.example', groups: ['developers'] }
  const rules = [{ name: 'Staff', values: ['developers'], project_id: data[0]!.id, role: 'project_member' }]
  const made = await admin.post(fillPath(identityProviders.create.path, at), {
    data: { name: 'The company', issuer: company.issuer, ...CLIENT, mapping: { rules } },
  })
  expect(made.status()).toBe(201)
  await admin.dispose()

  await page.goto('/login/Default?redirectUrl=/compute/ssh-keys')
  const there = page.getByRole('button', { name: 'Sign in with The company' })
  await expect(there).toBeVisible()
  await expectAccessible()
  await there.click()
  await page.getByRole('button', { name: 'grace' }).click()
  await expect(page).toHaveURL('/compute/ssh-keys')
  await expect(page.getByRole('button', { name: 'Project: demo' })).toBeVisible()
  await page.getByRole('button', { name: 'grace@company.example: account' }).click()
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeHidden()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page.getByText('You have been signed out.')).toBeVisible()
})
