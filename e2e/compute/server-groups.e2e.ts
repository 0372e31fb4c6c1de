import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'tenant' })

test('creates a server group with a virtual machine; their pages link to each other', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/compute/server-groups')
  await page.getByRole('link', { name: 'Create server group' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create server group' })
  await form.getByLabel('Name').fill('frontends')
  await expect(form.getByRole('radio', { name: /Soft anti-affinity/ })).toBeChecked()
  await expectAccessible()
  await form.getByRole('button', { name: 'Create server group' }).click()
  const group = page.getByRole('row', { name: 'frontends', exact: true })
  await expect(group).toContainText('Soft anti-affinity')

  await page.goto('/compute/instances/add')
  await page.getByLabel('Name').fill('front-1')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux', exact: true }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /^Advanced/ }).click()
  await page.getByRole('button', { name: /Server group/ }).click()
  await page.getByRole('option', { name: /frontends/ }).click()
  await page.getByRole('button', { name: 'Create virtual machine' }).click()
  await page.getByRole('row', { name: 'front-1', exact: true }).getByRole('link').click()
  await page.getByRole('dialog', { name: 'front-1' }).getByRole('link', { name: 'frontends' }).click()
  const details = page.getByRole('dialog', { name: 'frontends' })
  await expect(details.getByRole('listitem')).toContainText('front-1')
  await expectAccessible()

  await details.getByRole('button', { name: 'Actions for frontends' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete server group' }).click()
  await expect(page.getByText('No server groups yet.')).toBeVisible()
})
