import { expect } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { projects } from '@mainstay/contract/identity/projects'
import { CLIENT } from '../../server/src/testing/outside/openid-provider'
import { test } from '../support/company'

test('signs in through OpenID Connect, enters the project from a mapping rule, and signs out [UI-050]', async ({
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
  await page.getByRole('button', { name: 'Account menu: grace@company.example' }).click()
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeHidden()
  await expect(page.getByRole('menuitem', { name: 'Also sign out of the identity provider' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await expect(page.getByText('You have been signed out.')).toBeVisible()
})
