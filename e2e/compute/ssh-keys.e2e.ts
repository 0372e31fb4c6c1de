import { expect, type Page } from '@playwright/test'
import { press, tabTo } from '../support/keyboard'
import { test } from '../support/test'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'

test.use({ as: 'admin' })
test.beforeEach(async ({ page }) => {
  await page.goto('/compute/ssh-keys')
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
})

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

async function add(page: Page, name: string) {
  await page.getByRole('link', { name: 'Add SSH key' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill(name)
  await form.getByRole('textbox', { name: /Public key/ }).fill(publicKey)
  await form.getByRole('button', { name: 'Add SSH key' }).click()
  await expect(form).toBeHidden()
}

test('adds, shows and deletes an SSH key [UI-029]', async ({ page, expectAccessible }) => {
  await expect(page).toHaveURL('/compute/ssh-keys')
  await page.getByRole('link', { name: 'Add SSH key' }).first().click()
  await expect(page).toHaveURL('/compute/ssh-keys/add')
  await expectAccessible()
  await page.goBack()
  await add(page, 'laptop')
  await expect(row(page, 'laptop')).toContainText('SHA256:')
  // Back does not reopen the submitted form
  await page.goBack()
  await expect(page).toHaveURL('/compute/ssh-keys')
  await expect(page.getByRole('dialog')).toBeHidden()
  await row(page, 'laptop').getByRole('link', { name: 'laptop' }).click()
  await expect(page).toHaveURL(/\/compute\/ssh-keys\/[^/]+$/)
  const details = page.getByRole('dialog')
  await expect(details.getByRole('heading', { name: 'laptop' })).toBeVisible()
  await expect(details).toContainText('ada@laptop')
  await page.reload()
  await expect(details.getByRole('heading', { name: 'laptop' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/compute/ssh-keys')
  await row(page, 'laptop').getByRole('button', { name: 'Actions for laptop' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'laptop')).toBeHidden()
})

test('adds an SSH key using only the keyboard', { tag: '@all' }, async ({ page }) => {
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await press(page.getByRole('link', { name: 'Add SSH key' }).first())
  const form = page.getByRole('dialog')
  await expect(form.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('keyboard only')
  await tabTo(form.getByRole('textbox', { name: /Public key/ }))
  await page.keyboard.insertText(publicKey)
  await press(form.getByRole('button', { name: 'Add SSH key' }))
  await expect(form).toBeHidden()
  await expect(row(page, 'keyboard only')).toBeVisible()
})
