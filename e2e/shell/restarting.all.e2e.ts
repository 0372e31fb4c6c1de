import { expect, test } from '@playwright/test'
import { mainMenu } from '../support/menu'
import { adminPassword, startServer } from '../support/server'

test('keeps the page visible below a notice when the server stops', async ({ page }) => {
  const server = await startServer()
  let isStopped = false
  try {
    await page.goto(`${server.url}/login?redirectUrl=/compute/instances`)
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(adminPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const title = page.getByRole('heading', { name: 'Virtual machines', level: 1 })
    await expect(title).toBeVisible()
    await expect(page.getByRole('banner').getByText('Live')).toBeVisible()
    isStopped = true
    await server.stop()
    await expect(page.getByText(/Reconnecting since/)).toBeVisible()
    await expect(title).toBeVisible()
    await expect(mainMenu(page)).toBeVisible()
    await expect(page.getByText('The page could not be loaded')).toHaveCount(0)
  } finally {
    if (!isStopped) await server.stop()
  }
})
