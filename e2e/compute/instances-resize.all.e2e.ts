import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances } from './open-instances'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const soon = { timeout: 30_000 }

async function openResize(page: Page, name: string) {
  await row(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: 'Resize', exact: true }).click()
  return page.getByRole('dialog', { name: `Resize “${name}”` })
}

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('warns about the restart, and resizes a running virtual machine', async ({ page, expectAccessible }) => {
  const form = await openResize(page, 'web-2')
  await expect(form).toContainText('The virtual machine will be shut down, resized and started again')
  await expect(form.getByRole('columnheader', { name: 'Restart' })).toHaveCount(0)
  await form.getByRole('radio', { name: 's1.medium' }).check()
  await expectAccessible()
  await form.getByRole('button', { name: 'Resize virtual machine' }).click()
  await expect(form).toBeHidden()
  const details = page.getByRole('dialog', { name: 'web-2', exact: true })
  await expect(details).toContainText('s1.medium')
  await expect(details).toContainText('Active', soon)
})

test('if the domain allows it, resizes up to the maximum without a restart; fits a phone screen', async ({
  page,
  browser,
  server,
  signedIn,
  expectAccessible,
}) => {
  const operator = await browser.newPage({ baseURL: server.adminUrl, storageState: await signedIn('operator') })
  await operator.goto('/domains/default')
  const liveResize = operator.getByRole('switch', { name: 'Live CPU/RAM resize' })
  await expect(liveResize).not.toBeChecked()
  await operator.getByText('Live CPU/RAM resize', { exact: true }).click()
  await expect(operator.getByRole('button', { name: 'Edit property allow_live_resize' })).toBeVisible()
  await operator.close()
  await page.reload()
  await page.getByRole('link', { name: 'Create virtual machine' }).click()
  await page.getByLabel('Name').fill('grows')
  await page.getByRole('link', { name: 'Choose: Boot from' }).click()
  await page.getByRole('radio', { name: 'Alpine Linux' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /^Advanced/ }).click()
  await page.getByText('Live CPU/RAM resize', { exact: true }).click()
  await expectAccessible()
  await page.getByRole('button', { name: 'Create virtual machine' }).click()
  await expect(row(page, 'grows')).toContainText('Active', { timeout: 60_000 })

  const form = await openResize(page, 'grows')
  await expect(form).toContainText('Without a restart, the virtual machine can grow to')
  const flavor = (name: string) => form.getByRole('row').filter({ hasText: name })
  await expect(flavor('s1.tiny')).toContainText('No')
  await expect(flavor('s1.2xlarge')).toContainText('Yes')
  await form.getByRole('radio', { name: 's1.2xlarge' }).check()
  await expect(form.getByRole('radio', { name: /^Without a restart/ })).toBeDisabled()
  await expect(form.getByRole('radio', { name: /^Requires a restart/ })).toBeChecked()
  await form.getByRole('radio', { name: 's1.tiny' }).check()
  await expect(form.getByRole('radio', { name: /^Without a restart/ })).toBeChecked()
  await expectAccessible()
  const wide = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 800 })
  await page.reload()
  await form.getByRole('radio', { name: 's1.tiny' }).check()
  await expectAccessible()
  expect(await form.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0)
  await page.setViewportSize(wide)
  await form.getByRole('button', { name: 'Resize virtual machine' }).click()
  await expect(form).toBeHidden()
  const details = page.getByRole('dialog', { name: 'grows', exact: true })
  await expect(details).toContainText('s1.tiny')
  await expect(details).toContainText('Active', soon)
  await expect(details).toContainText(/Up to \d+ vCPUs and 512\sMiB/)
  await expect(page.getByText('Virtual machine “grows” resized without a restart')).toBeVisible(soon)
})

test('enables live resize for a running virtual machine from its next start', async ({ page, expectAccessible }) => {
  await row(page, 'registry').getByRole('link').click()
  const details = page.getByRole('dialog', { name: 'registry', exact: true })
  await details.getByRole('link', { name: 'Edit live resize' }).click()
  const form = page.getByRole('dialog', { name: 'Live resize for “registry”' })
  await form.getByText('Live CPU/RAM resize', { exact: true }).click()
  await expect(form).toContainText('Live resize becomes available at the next start')
  await expectAccessible()
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(form).toBeHidden()
  await expect(details).toContainText('Available after the next start')
})
