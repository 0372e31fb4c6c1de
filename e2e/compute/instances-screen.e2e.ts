import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances } from './open-instances'

/* Virtual machines are simulated here and have no console. journeys/guest-console.all.e2e.ts tests real guests. */

async function openConsole(page: Page, name: string, search = '') {
  const id = await page.getByRole('row', { name, exact: true }).getAttribute('data-row')
  await page.goto(`/compute/servers/instances/${id}/console${search}`)
}

test('asks anonymous users to sign in directly on the console page [RT-012]', async ({ page, expectAccessible }) => {
  await page.goto('/compute/servers/instances/some/console')
  await expect(page).toHaveURL(/\/console$/)
  await expect(page.getByRole('heading', { name: 'Sign in to open the console' })).toBeVisible()
  await expectAccessible()
})

test.describe('signed in', () => {
  test.use({ as: 'tenant' })
  test.beforeEach(({ page }) => openInstances(page))

  test(
    'states that a simulated virtual machine has no console or terminal',
    { tag: '@all' },
    async ({ page, expectAccessible }) => {
      await openConsole(page, 'database')
      await expect(page.getByRole('heading', { name: 'No console' })).toBeVisible()
      await expect(page.getByText('This virtual machine is simulated')).toBeVisible()
      await expectAccessible()
      await page.goto(`${page.url()}?protocol=serial`)
      await expect(page.getByRole('heading', { name: 'No terminal' })).toBeVisible()
    },
  )

  test("keeps showing a console error with the server's message [ER-069]", async ({ page, complaints }) => {
    const message = 'The screen is in use by somebody else'
    await page.route(`**${computeCluster.view.path}`, async (route) => {
      const response = await route.fetch()
      const cluster = (await response.json()) as { capabilities: object }
      const capabilities = { ...cluster.capabilities, console_protocols: ['vnc'] }
      await route.fulfill({ response, json: { ...cluster, capabilities } })
    })
    await page.route('**/api/v2/compute/servers/*/console?*', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { message, err_code: 'console_unavailable', fields: {}, data: {}, request_id: 'r-1' } },
      }),
    )
    await openConsole(page, 'web-1')
    await expect(page.getByRole('alert')).toContainText(message)
    await expect(page.getByRole('button', { name: 'Reconnect' })).toBeVisible()
    complaints.splice(0)
  })
})
