import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances, shutDown } from './open-instances'

async function openTerminal(page: Page, name: string) {
  const id = await page.getByRole('row', { name, exact: true }).getAttribute('data-row')
  await page.goto(`/compute/servers/instances/${id}/console?protocol=serial`)
}
const terminal = (page: Page) => page.getByRole('application')

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('what the guest wrote is there, what is typed is echoed, and a shortcut leads out of it', async ({
  page,
  expectAccessible,
}) => {
  await openTerminal(page, 'database')
  await expect(terminal(page)).toContainText('database login:')
  await page.keyboard.type('uptime')
  await expect(terminal(page)).toContainText('uptime')
  await expectAccessible()
  await page.keyboard.press('Control+Alt+Home')
  await expect(page.getByRole('button', { name: 'Clear' })).toBeFocused()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as text' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('database-terminal.txt')
  expect(await readFile(await saved.path(), 'utf8')).toContain('uptime')
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(terminal(page)).not.toContainText('database login:')
})

test(
  'a text is pasted as it is, and the screen is one press away',
  { tag: '@all' },
  async ({ page, context, complaints }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openTerminal(page, 'web-1')
    await expect(terminal(page)).toContainText('web-1 login:')
    await page.evaluate(() => navigator.clipboard.writeText('grüße'))
    await page.keyboard.press('Control+V')
    await expect(terminal(page)).toContainText('grüße')
    expect(complaints).toEqual([])
    await page.getByRole('button', { name: 'Use the screen' }).click()
    await expect(terminal(page).locator('canvas')).toBeFocused()
    await page.getByRole('button', { name: 'Use the terminal' }).click()
    await expect(terminal(page)).toContainText('web-1 login:')
  },
)

test('colours are shown without breaking the page’s policy', { tag: '@all' }, async ({ page }) => {
  await openTerminal(page, 'web-2')
  await expect(terminal(page).locator('.xterm-rows').getByText('simulated', { exact: true })).toHaveCSS(
    'color',
    'rgb(242, 169, 59)',
  )
})

test(
  'one that is shut down says so, and can be started from here',
  { tag: '@all' },
  async ({ page, expectAccessible }) => {
    await shutDown(page, 'analytics')
    await openTerminal(page, 'analytics')
    await expect(page.getByRole('heading', { name: 'No terminal: Shut down' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Start' }).click()
    await expect(terminal(page)).toContainText('analytics login:')
  },
)
