import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances } from './open-instances'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' })

/** Creates an instance and waits until it runs. Expects the list of instances to be open. */
async function make(page: Page, name: string) {
  const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
  await page.request.post(instances.create.path, {
    headers: { 'x-auth-token': token!, 'x-requested-with': 'test' },
    data: { name, flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  await expect(row(page, name)).toContainText('Active', { timeout: 30_000 })
}

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('renames, stops and starts a virtual machine on its full page, and lists these events there', async ({
  page,
  expectAccessible,
}) => {
  await make(page, 'living')
  await row(page, 'living').getByRole('link').click()
  const drawer = page.getByRole('dialog', { name: 'living' })
  const open = drawer.getByRole('link', { name: 'Open full page' })
  await open.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/page$/)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1, name: 'living' })).toBeVisible()
  await expect(drawer).toBeHidden()
  await page.goBack()
  await expect(drawer).toBeVisible()
  await page.goForward()
  await expect(drawer).toBeHidden()

  await main.getByRole('button', { name: 'Actions for living' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expect(page).toHaveURL(/\/page\/edit\/name$/)
  const form = page.getByRole('dialog', { name: 'Rename “living”' })
  await form.getByLabel('Name').fill('long-living')
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL(/\/page$/)
  await expect(main.getByRole('heading', { level: 1, name: 'long-living' })).toBeVisible()
  const renamed = timeline(page).getByRole('listitem').filter({ hasText: 'Edit' })
  await expect(renamed).toContainText('admin')
  await expect(renamed.getByRole('definition')).toHaveText('before living now long-living')

  await main.getByRole('button', { name: 'Shut down', exact: true }).click()
  const screen = page.getByRole('region', { name: 'Console' })
  await expect(main.getByRole('button', { name: 'Start', exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(timeline(page)).toContainText('Shut down')
  await expectAccessible()
  await expect(screen.getByText('This virtual machine is simulated')).toBeVisible()
  await main.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(main.getByRole('button', { name: 'Shut down', exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(timeline(page).getByText('Start', { exact: true })).toBeVisible()

  await main.getByRole('radio', { name: '7 d' }).check()
  await expect(page).toHaveURL(/\/page\?range=7d$/)
  await page.reload()
  await expect(main.getByRole('radio', { name: '7 d' })).toBeChecked()
})
