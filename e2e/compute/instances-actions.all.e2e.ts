import { expect, type Page } from '@playwright/test'
import { markRows } from '../support/rows'
import { test } from '../support/test'
import { openInstances } from './open-instances'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const soon = { timeout: 30_000 }

async function choose(page: Page, name: string, action: string) {
  await row(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: 'Power', exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('adds, changes and removes metadata of a virtual machine', async ({ page, expectAccessible }) => {
  await row(page, 'web-1').getByRole('link').click()
  await page.getByRole('link', { name: 'Edit Metadata' }).click()
  const form = page.getByRole('dialog', { name: 'Edit metadata for “web-1”' })
  await form.getByRole('button', { name: 'Add entry' }).click()
  await form.getByLabel('Name').fill('cost centre')
  await form.getByLabel('Value').fill('4711')
  await form.getByRole('button', { name: 'Add entry' }).click()
  await form.getByLabel('Name').nth(1).fill('cost centre')
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(form).toContainText('This name is used twice')
  await expectAccessible()
  await form.getByLabel('Name').nth(1).fill('tier')
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(form).toBeHidden()
  const details = page.getByRole('dialog', { name: 'web-1' })
  await expect(details.getByRole('listitem').filter({ hasText: 'cost centre' })).toContainText('4711')
  await page.getByRole('link', { name: 'Edit Metadata' }).click()
  await form.getByRole('button', { name: 'Remove entry 2' }).click()
  await form.getByRole('button', { name: 'Remove entry 1' }).click()
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(form).toBeHidden()
  await expect(details.getByRole('listitem').filter({ hasText: 'cost centre' })).toBeHidden()
})

test('asks for confirmation before shelving, and unshelves again', async ({ page }) => {
  await choose(page, 'vpn', 'Shelve')
  const question = page.getByRole('alertdialog', { name: 'Shelve “vpn”?' })
  await expect(question).toContainText('its vCPUs and memory no longer count against the quota')
  await question.getByRole('button', { name: 'Shelve virtual machine' }).click()
  await expect(row(page, 'vpn')).toContainText('Shelved', soon)
  await row(page, 'vpn').hover()
  await row(page, 'vpn').getByRole('button', { name: 'Unshelve' }).click()
  await expect(row(page, 'vpn')).toContainText('Active', soon)
})

test('shelves several virtual machines at once and skips those that cannot be shelved', async ({ page }) => {
  await markRows(page, 'monitoring', 'old-erp')
  await page.getByRole('toolbar').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Shelve', exact: true }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('Shelve 1 virtual machine?')
  await expect(question).toContainText('1 object is skipped')
  await question.getByRole('button', { name: 'Shelve 1 virtual machine' }).click()
  await expect(row(page, 'monitoring')).toContainText('Shelved', soon)
})

test('boots another image in rescue mode, shows the mode, and returns to the original system', async ({
  page,
  expectAccessible,
}) => {
  await choose(page, 'registry', 'Rescue')
  const form = page.getByRole('dialog', { name: 'Rescue “registry”' })
  await expect(form.getByRole('radio', { name: /Original image/ })).toBeChecked()
  await form.getByText('Another image', { exact: true }).click()
  await form.getByRole('button', { name: 'Rescue virtual machine' }).click()
  await expect(form).toContainText('Choose an image')
  await form.getByRole('radio', { name: 'Debian 13', exact: true }).check()
  await expectAccessible()
  await form.getByRole('button', { name: 'Rescue virtual machine' }).click()
  await expect(form).toBeHidden()
  const details = page.getByRole('dialog', { name: 'registry' })
  await expect(details).toContainText('In rescue mode', soon)
  await details.getByRole('button', { name: 'End rescue mode' }).click()
  const question = page.getByRole('alertdialog', { name: 'End rescue mode for “registry”?' })
  await question.getByRole('button', { name: 'End rescue mode' }).click()
  await expect(details).toContainText('Active', soon)
})

test('does not offer actions that the engine does not support', async ({ page }) => {
  await row(page, 'web-2').getByRole('button', { name: 'Actions for web-2' }).click()
  await expect(page.getByRole('menuitem', { name: /^Rename/ })).toBeVisible()
  const fold = page.getByRole('menuitem', { name: /^Unavailable actions/ })
  if (await fold.count()) await fold.click()
  await page.getByRole('menuitem', { name: 'Power', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'Rescue', exact: true })).toBeVisible()
  for (const name of [/^Migrate/, /^Evacuate/, /^Set password/])
    await expect(page.getByRole('menuitem', { name })).toHaveCount(0)
})
