import { expect, type Page } from '@playwright/test'

/** The list of the project that the demo world filled. */
export async function openInstances(page: Page): Promise<void> {
  await page.goto('/compute/instances')
  await expect(page.getByRole('row', { name: 'database', exact: true })).toBeVisible()
}
