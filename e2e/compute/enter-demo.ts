import { expect, type Page } from '@playwright/test'

/** Goes into the project that the demo world filled. */
export async function enterDemo(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Project:/ }).click()
  await page.getByRole('dialog').getByText('demo', { exact: true }).click()
  await expect(page.getByRole('button', { name: 'Project: demo' })).toBeVisible()
  await page.goto('/compute/instances')
  await expect(page.getByRole('row', { name: 'database', exact: true })).toBeVisible()
}
