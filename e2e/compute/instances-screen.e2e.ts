import { expect, type Page } from '@playwright/test'
import { test } from '../support/test'
import { openInstances, shutDown } from './open-instances'

/** What the screen shows, as a number: it changes when a pixel does. */
const pixels = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    return data.reduce((sum, value, index) => (sum + value * ((index % 9973) + 1)) % 2_147_483_647, 7)
  })

/** What the screen shows when it has been drawn: the same twice in a row. */
async function whenStill(page: Page): Promise<number> {
  let shown = await pixels(page)
  const look = async () => {
    const before = shown
    shown = await pixels(page)
    return shown === before
  }
  await expect.poll(look, { intervals: [250] }).toBe(true)
  return shown
}

async function openScreen(page: Page, name: string) {
  const id = await page.getByRole('row', { name, exact: true }).getAttribute('data-row')
  await page.goto(`/compute/servers/instances/${id}/console`)
}
const isConnected = (page: Page) =>
  expect(page.getByRole('button', { name: 'Paste as keystrokes' })).not.toHaveAttribute('aria-disabled', 'true')

test('whoever is not signed in is told so on the page itself [RT-012]', async ({ page, expectAccessible }) => {
  await page.goto('/compute/servers/instances/some/console')
  await expect(page).toHaveURL(/\/console$/)
  await expect(page.getByRole('heading', { name: 'Sign in to see this screen' })).toBeVisible()
  await expectAccessible()
})

test.describe('signed in', () => {
  test.use({ as: 'tenant' })
  test.beforeEach(({ page }) => openInstances(page))

  test('typed keys change the screen, and a shortcut leads out of it [RT-012]', async ({ page, expectAccessible }) => {
    await openScreen(page, 'database')
    await isConnected(page)
    await expect(page.getByRole('application').locator('canvas')).toBeFocused()
    const before = await whenStill(page)
    await page.keyboard.type('uptime')
    await expect.poll(() => pixels(page)).not.toBe(before)
    await page.keyboard.press('Control+Alt+Home')
    await expect(page.getByRole('button', { name: 'Ctrl+Alt+Del' })).toBeFocused()
    await expectAccessible()
  })

  test('a text is typed key by key after it was looked at', { tag: '@all' }, async ({ page, expectAccessible }) => {
    await openScreen(page, 'web-1')
    await isConnected(page)
    const before = await whenStill(page)
    await page.getByRole('button', { name: 'Paste as keystrokes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paste as keystrokes' })
    await expect(dialog.getByRole('button', { name: 'Type text' })).toHaveAccessibleDescription('Enter a text first')
    await dialog.getByLabel('Text to type').fill('Echo "ö"\n')
    await expect(dialog).toContainText('This keyboard does not have: ö')
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Type 9 characters' }).click()
    await expect(dialog).toBeHidden()
    await expect.poll(() => pixels(page)).not.toBe(before)
  })

  test(
    'one that is shut down can be started from here, and its screen appears',
    { tag: '@all' },
    async ({ page, expectAccessible }) => {
      await shutDown(page, 'analytics')
      await openScreen(page, 'analytics')
      await expect(page.getByRole('heading', { name: 'No screen: Shut down' })).toBeVisible()
      await expectAccessible()
      await page.getByRole('button', { name: 'Start' }).click()
      await isConnected(page)
    },
  )

  test('a broken connection is made again with a new ticket', { tag: '@all' }, async ({ page, complaints }) => {
    // the page's own sockets, to be broken off from inside: a proxy in between would be another origin to the server
    await page.addInitScript(() => {
      const kept: WebSocket[] = []
      Object.assign(globalThis, {
        keptSockets: kept,
        // no class of our own: noVNC looks at what the prototype itself has
        WebSocket: new Proxy(WebSocket, {
          construct(original, given: [string]) {
            const socket = new original(...given)
            kept.push(socket)
            return socket
          },
        }),
      })
    })
    const screens = () =>
      page.evaluate(() =>
        (globalThis as unknown as { keptSockets: WebSocket[] }).keptSockets
          .map(({ url }) => url)
          .filter((url) => url.includes('/websockify')),
      )
    await openScreen(page, 'web-2')
    await isConnected(page)
    await page.evaluate(() => {
      for (const socket of (globalThis as unknown as { keptSockets: WebSocket[] }).keptSockets)
        if (socket.url.includes('/websockify')) socket.close()
    })
    await expect(page.getByRole('heading', { name: 'The connection broke off' })).toBeVisible()
    await isConnected(page)
    const addresses = await screens()
    expect(addresses.length).toBeGreaterThan(1)
    expect(new Set(addresses).size).toBe(addresses.length)
    complaints.splice(0)
  })

  test('a refusal is kept and told in the words of the server [ER-069]', async ({ page, complaints }) => {
    const message = 'The screen is in use by somebody else'
    await page.route('**/api/v2/compute/servers/*/console?*', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { message, err_code: 'console_unavailable', fields: {}, data: {}, request_id: 'r-1' } },
      }),
    )
    await openScreen(page, 'web-1')
    await expect(page.getByRole('alert')).toContainText(message)
    await expect(page.getByRole('button', { name: 'Reconnect' })).toBeVisible()
    complaints.splice(0)
  })
})
