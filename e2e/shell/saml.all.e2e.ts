import { expect } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { projects } from '@mainstay/contract/identity/projects'
import { startSamlProvider } from '../../server/src/testing/outside/saml-provider'
import { test } from '../support/company'

test("signs in through SAML, although the provider's form is posted from another site", async ({
  page,
  server,
  signedIn,
  playwright,
}) => {
  const company = await startSamlProvider()
  const admin = await playwright.request.newContext({
    baseURL: server.url,
    storageState: await signedIn('domain-admin'),
    extraHTTPHeaders: { 'x-requested-with': 'journey' },
  })
  const at = { domain_id: 'default' }
  const found = await admin.get(`${fillPath(projects.list.path, at)}?name=demo`)
  const { data } = (await found.json()) as { data: { id: string }[] }
  company.accounts['linus'] = { groups: ['developers'] }
  company.know(await (await admin.get('/auth/landing/saml/default/metadata')).text())
  const rules = [{ name: 'Staff', values: ['developers'], project_id: data[0]!.id, role: 'project_member' }]
  const claims = { name: 'sub', email: 'email', groups: 'groups' }
  const made = await admin.post(fillPath(identityProviders.create.path, at), {
    data: { name: 'The office', protocol: 'saml', metadata_url: company.issuer, mapping: { claims, rules } },
  })
  expect(made.status()).toBe(201)
  await admin.dispose()

  await page.goto('/login/Default?redirectUrl=/compute/ssh-keys')
  await page.getByRole('button', { name: 'Sign in with The office' }).click()
  await page.getByRole('button', { name: 'linus' }).click()
  await expect(page).toHaveURL('/compute/ssh-keys')
  await expect(page.getByRole('button', { name: 'Project: demo' })).toBeVisible()
  await page.getByRole('button', { name: 'Account menu: linus' }).click()
  await expect(page.getByRole('menuitem', { name: 'Also sign out of the identity provider' })).toBeHidden()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByText('You have been signed out.')).toBeVisible()
  await company.close()
})
