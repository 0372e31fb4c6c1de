import { instances } from '@mainstay/contract/compute/instances'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { expect, type Page } from '@playwright/test'

/** Opens the list of instances in the demo world's project. */
export async function openInstances(page: Page): Promise<void> {
  await page.goto('/compute/instances')
  await expect(page.getByRole('row', { name: 'database', exact: true })).toBeVisible()
}

/** Shuts down an instance in any state. Expects the list of instances to be open. */
export async function shutDown(page: Page, name: string): Promise<void> {
  const row = page.getByRole('row', { name, exact: true })
  const id = (await row.getAttribute('data-row'))!
  const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
  await page.request.post(fillPath(instances.stop.path, { id }), {
    headers: { 'x-auth-token': token!, 'x-requested-with': 'test' },
    data: { hard: true },
  })
  await expect(row).toContainText('Shut down')
}
