import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'operator' })

test('shows this host and its hardware to an operator, and the command that adds another host', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/nodes')
  const row = page.getByRole('row').filter({ hasText: 'This host' })
  await expect(row).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Capabilities of a second host' })).toBeVisible()
  await expectAccessible()

  await row.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Hardware and system' })).toBeVisible()
  await page.getByRole('tab', { name: /^Disks/ }).click()
  await expect(page).toHaveURL(/\/disks$/)
  await page.getByRole('tab', { name: 'Network' }).click()
  await expect(page).toHaveURL(/\/network$/)
  await expectAccessible()

  await page.goto('/nodes/add')
  await page.getByRole('button', { name: 'Create command' }).click()
  const command = page.getByRole('region', { name: 'Registration command' })
  await expect(command).toContainText(/^curl .*\/api\/v2\/nodes\/registration\/script' \| sudo sh -s -- /)
  await expect(page.getByText('Waiting for the host')).toBeVisible()
  await expectAccessible()
})
