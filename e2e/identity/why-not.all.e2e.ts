import { expect, type Page } from '@playwright/test'
import { openInstances, shutDown } from '../compute/open-instances'
import { test } from '../support/test'

test.use({ as: 'domain-admin' })

const choose = async (page: Page, label: string, name: string) => {
  const box = page.getByRole('dialog').getByRole('combobox', { name: label })
  await box.fill(name)
  await page.getByRole('option', { name, exact: true }).click()
}

test('explains from the menu why an action is unavailable, on wide and narrow screens', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/users')
  // uses only the keyboard; the explanation is the last menu item
  await page.getByRole('button', { name: 'Actions for dora' }).press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Why is this unavailable?' })).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Permission check for “dora”' })
  await choose(page, 'Action', 'Delete a user')
  await expect(dialog.getByText('Not allowed for 1 reason')).toBeVisible()
  await expect(dialog.getByText('You cannot delete your own account').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Show users who can do this' }).click()
  await expect(dialog.getByRole('heading', { name: 'Users who can do this' })).toBeVisible()
  await expectAccessible()
  await page.setViewportSize({ width: 360, height: 720 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Actions for dora' })).toBeFocused()
})

test.describe('in a project', () => {
  test.use({ as: 'tenant' })

  test('explains why a button in the details is unavailable', async ({ page, expectAccessible }) => {
    await openInstances(page)
    await shutDown(page, 'mail')
    await page.getByRole('link', { name: 'mail', exact: true }).click()
    const details = page.getByRole('dialog', { name: 'mail' })
    const screen = details.getByRole('button', { name: 'Open console', exact: true })
    await expect(screen).toHaveAttribute('aria-disabled', 'true')
    await expect(screen).toHaveAccessibleDescription(/Press for an explanation\.$/)
    await screen.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Permission check for “mail”' })
    await expect(dialog.getByText('Not allowed for 1 reason')).toBeVisible()
    await expect(dialog.getByRole('combobox', { name: 'Action' })).toHaveValue('Open the console of a virtual machine')
    await expectAccessible()
    await page.keyboard.press('Escape')
    await expect(screen).toBeFocused()
  })
})
