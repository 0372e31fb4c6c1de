import { Buffer } from 'node:buffer'
import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'admin' })

test('shows how to get started in a project without virtual machines, on wide and narrow screens', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/compute/instances')
  await expect(page.getByRole('heading', { name: 'Create your first virtual machine' })).toBeVisible()
  // the demo world shares this image with every project
  await expect(page.getByRole('button', { name: 'Use Debian 13' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Import Fedora 42' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Choose all settings yourself' })).toBeVisible()
  await expectAccessible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible()
})

test('rejects URLs with private addresses, and invalid URLs', { tag: '@all' }, async ({ page }) => {
  await page.goto('/compute/images/sources')
  const sources = page.getByRole('dialog', { name: 'Import image' })
  const address = sources.getByLabel('URL')
  await address.fill('https://10.0.0.1/disk.qcow2')
  await sources.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(address).toHaveAccessibleDescription(/from 10\.0\.0\.1, because it is not on the public internet/)
  await address.fill('nowhere')
  await page.keyboard.press('Enter')
  await expect(address).toHaveAccessibleDescription(/Enter a URL such as/)
})

test('uploads a file from the wizard and offers it as a boot image', { tag: '@all' }, async ({ page }) => {
  await page.goto('/compute/instances/add/image')
  const step = page.getByRole('dialog', { name: 'Boot from' })
  await step.getByRole('tab', { name: 'Import image' }).click()
  const disk = Buffer.alloc(1024 * 1024)
  disk.set([0x55, 0xaa], 510)
  const file = { name: 'dropped.raw', mimeType: 'application/octet-stream', buffer: disk }
  await step.locator('input[type=file]').setInputFiles({ ...file, name: 'dropped.pdf' })
  await expect(step.getByText('“dropped.pdf” is not a disk image that can be uploaded')).toBeVisible()
  await step.locator('input[type=file]').setInputFiles(file)
  await step.getByRole('tab', { name: 'Image', exact: true }).click()
  await step.getByRole('radio', { name: 'dropped' }).check()
  await step.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('main').getByRole('list')).toContainText('dropped')
})
