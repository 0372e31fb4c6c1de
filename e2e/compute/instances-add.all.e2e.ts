import { expect } from '@playwright/test'
import { test } from '../support/test'
import { openInstances } from './open-instances'

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('creates a virtual machine from an image and shows it as active without a reload', async ({ page }) => {
  await page.getByRole('link', { name: 'Create virtual machine' }).click()
  await expect(page).toHaveURL(/\/compute\/instances\/add$/)
  const create = page.getByRole('button', { name: 'Create virtual machine' })
  await expect(create).toHaveAttribute('aria-disabled', 'true')
  await expect(create).toHaveAccessibleDescription('Enter a name')
  await page.getByLabel('Name').fill('from-image')
  await expect(create).toHaveAccessibleDescription('Choose what to boot from')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByLabel('Name')).toHaveValue('from-image')
  await create.click()
  await expect(page).toHaveURL(/\/compute\/instances$/)
  await expect(page.getByRole('row', { name: 'from-image', exact: true })).toContainText('Active', { timeout: 60_000 })
})

test('preselects the image when the wizard is opened from an image', async ({ page }) => {
  await page.goto('/compute/images')
  await page.getByRole('button', { name: 'Actions for Debian 13', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Create virtual machine' }).click()
  await expect(page.getByRole('main').getByRole('list')).toContainText('Debian 13')
  await page.getByLabel('Name').fill('from-list')
  await page.getByRole('button', { name: 'Create virtual machine' }).click()
  await expect(page.getByRole('row', { name: 'from-list', exact: true })).toContainText('Active', { timeout: 60_000 })
})

test('each step of the wizard passes axe', async ({ page, expectAccessible }) => {
  for (const [step, shows] of [
    ['flavor', 's1.small'],
    ['image', 'Debian 13'],
    ['key', 'sign in without a password'],
    ['networks', 'Default network'],
    ['volumes', 'Add volume'],
    ['script', '#cloud-config'],
  ] as const) {
    await page.goto(`/compute/instances/add/${step}`)
    await expect(page.getByRole('dialog')).toContainText(shows)
    await expectAccessible()
  }
})

test('keeps entered values when a panel closes and when the user goes back and forward', async ({ page }) => {
  await page.getByRole('link', { name: 'Create virtual machine' }).click()
  await page.getByLabel('Name').fill('kept')
  await page.getByRole('link', { name: 'Change: Flavor' }).click()
  await page.getByRole('radio', { name: 's1.medium' }).check()
  await page.goBack()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByLabel('Name')).toHaveValue('kept')
  await expect(page.getByRole('main').getByRole('list')).toContainText('s1.medium')
  await page.goForward()
  await expect(page.getByRole('radio', { name: 's1.medium' })).toBeChecked()
})

test('shows an exceeded quota as the count changes, and disables the submit button', async ({ page }) => {
  await page.goto('/compute/instances/add')
  await page.getByLabel('Name').fill('many')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('textbox', { name: 'Count' }).fill('20')
  await page.getByRole('textbox', { name: 'Count' }).blur()
  await expect(page.getByLabel('Quota usage')).toContainText('over the limit')
  await expect(page.getByRole('button', { name: 'Create virtual machine' })).toHaveAccessibleDescription(
    /^Quota exceeded: Virtual machines/,
  )
})

test('asks for confirmation before discarding entered values', async ({ page }) => {
  await page.getByRole('link', { name: 'Create virtual machine' }).click()
  await page.getByLabel('Name').fill('lost')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const ask = page.getByRole('alertdialog', { name: 'Discard changes?' })
  await ask.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Name')).toHaveValue('lost')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ask.getByRole('button', { name: 'Discard changes' }).click()
  await expect(page).toHaveURL(/\/compute\/instances$/)
})

test('creates an SSH key in the wizard and selects it', async ({ page }) => {
  await page.goto('/compute/instances/add/key')
  await page.getByRole('button', { name: 'Add SSH key' }).click()
  const form = page.getByRole('dialog', { name: 'Add SSH key' })
  await form.getByLabel('Name').fill('laptop')
  await form.getByRole('button', { name: 'Add SSH key' }).click()
  await page.getByRole('button', { name: 'I have saved the key' }).click()
  await expect(page.getByRole('radio', { name: 'laptop' })).toBeChecked()
})
