import { expect, type Page } from '@playwright/test'
import { openInstances, shutDown } from '../compute/open-instances'
import { test } from '../support/test'

test.use({ as: 'domain-admin' })

const choose = async (page: Page, label: string, name: string) => {
  const box = page.getByRole('dialog').getByRole('combobox', { name: label })
  await box.fill(name)
  await page.getByRole('option', { name, exact: true }).click()
}

test('why an action is barred is asked where it is barred, and answered on a wide screen and a narrow one', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/users')
  // by the keyboard alone; the question is the last item
  await page.getByRole('button', { name: 'Actions of dora' }).press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Why not?' })).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Why not “dora”?' })
  await choose(page, 'Wants to', 'Delete a user')
  await expect(dialog.getByText('No, for 1 reason')).toBeVisible()
  await expect(dialog.getByText('You cannot delete yourself').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Who can do this?' }).click()
  await expect(dialog.getByRole('heading', { name: 'Who can do this' })).toBeVisible()
  await expectAccessible()
  await page.setViewportSize({ width: 360, height: 720 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Actions of dora' })).toBeFocused()
})

test.describe('in a project', () => {
  test.use({ as: 'tenant' })

  test('a barred button of a details page asks why as well', { tag: '@all' }, async ({ page, expectAccessible }) => {
    await openInstances(page)
    await shutDown(page, 'mail')
    await page.getByRole('link', { name: 'mail', exact: true }).click()
    const details = page.getByRole('dialog', { name: 'mail' })
    const screen = details.getByRole('button', { name: 'Open console', exact: true })
    await expect(screen).toHaveAttribute('aria-disabled', 'true')
    await expect(screen).toHaveAccessibleDescription(/Press to ask why\.$/)
    await screen.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Why not “mail”?' })
    await expect(dialog.getByText('No, for 1 reason')).toBeVisible()
    await expect(dialog.getByRole('combobox', { name: 'Wants to' })).toHaveValue('Open the screen of an instance')
    await expectAccessible()
    await page.keyboard.press('Escape')
    await expect(screen).toBeFocused()
  })
})
