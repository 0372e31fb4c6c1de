import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances } from './open-instances'

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('a virtual machine is made from an image and becomes active without a reload [RT-051]', async ({ page }) => {
  await page.getByRole('link', { name: 'Create virtual machine' }).click()
  await expect(page).toHaveURL(/\/compute\/instances\/add$/)
  const deploy = page.getByRole('button', { name: 'Deploy virtual machine' })
  await expect(deploy).toHaveAttribute('aria-disabled', 'true')
  await expect(deploy).toHaveAccessibleDescription('Enter a name')
  await page.getByLabel('Name').fill('from-image')
  await expect(deploy).toHaveAccessibleDescription('Choose what to boot from')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByLabel('Name')).toHaveValue('from-image')
  await deploy.click()
  await expect(page).toHaveURL(/\/compute\/instances$/)
  await expect(page.getByRole('row', { name: 'from-image', exact: true })).toContainText('Active', { timeout: 60_000 })
})

test('whoever comes from an image has it chosen already', async ({ page }) => {
  await page.goto('/compute/images')
  await page.getByRole('button', { name: 'Actions of Debian 13', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Create virtual machine' }).click()
  await expect(page.getByRole('main').getByRole('list')).toContainText('Debian 13')
  await page.getByLabel('Name').fill('from-list')
  await page.getByRole('button', { name: 'Deploy virtual machine' }).click()
  await expect(page.getByRole('row', { name: 'from-list', exact: true })).toContainText('Active', { timeout: 60_000 })
})

/** A step of the wizard is a panel over it, with an address of its own. */
async function expectStep(page: Page, expectAccessible: () => Promise<void>, step: string, shows: string) {
  await page.goto(`/compute/instances/add/${step}`)
  const panel = page.getByRole('dialog')
  await expect(panel).toContainText(shows)
  await expectAccessible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/add$/)
  await expect(panel).toBeHidden()
}

test('the step flavor of the wizard has an address, and it passes axe [RT-052]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'flavor', 's1.small'))
test('the step image of the wizard has an address, and it passes axe [RT-053]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'image', 'Debian 13'))
test('the step key of the wizard has an address, and it passes axe [RT-054]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'key', 'log in without a password'))
test('the step networks of the wizard has an address, and it passes axe [RT-055]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'networks', 'Default network'))
test('the step volumes of the wizard has an address, and it passes axe [RT-056]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'volumes', 'Add volume'))
test('the step script of the wizard has an address, and it passes axe [RT-057]', ({ page, expectAccessible }) =>
  expectStep(page, expectAccessible, 'script', '#cloud-config'))

test('what was entered outlives panels, Back and Forward', async ({ page }) => {
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

test('more than the quota is drawn while typing and cannot be sent', async ({ page }) => {
  await page.goto('/compute/instances/add')
  await page.getByLabel('Name').fill('many')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('textbox', { name: 'How many' }).fill('20')
  await page.getByRole('textbox', { name: 'How many' }).blur()
  await expect(page.getByLabel('Cost against the quotas')).toContainText('over the limit')
  await expect(page.getByRole('button', { name: 'Deploy virtual machine' })).toHaveAccessibleDescription(
    /^Over the quota: Virtual machines/,
  )
})

test('leaving with something entered asks first', async ({ page }) => {
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

test('a key is made inside the wizard and chosen', async ({ page }) => {
  await page.goto('/compute/instances/add/key')
  await page.getByRole('button', { name: 'Add SSH key' }).click()
  const form = page.getByRole('dialog', { name: 'Add SSH key' })
  await form.getByLabel('Name').fill('laptop')
  await form.getByRole('button', { name: 'Add SSH key' }).click()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expect(page.getByRole('radio', { name: 'laptop' })).toBeChecked()
})

test('the wizard itself passes axe', async ({ page, expectAccessible }) => {
  await page.goto('/compute/instances/add')
  await expect(page.getByLabel('Cost against the quotas')).toContainText('left')
  await expectAccessible()
})
