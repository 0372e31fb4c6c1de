import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { instances } from '@mainstay/contract/compute/instances'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { expect as expectSoon, type Page } from '@playwright/test'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../../server/src/testing/server-program'
import { guestImage } from '../../tools/lib/paths.mjs'
import { test } from '../support/test'
import { lit, type } from './guest-screen'
import { openTerminal, run, type as typeLine } from './guest-terminal'

/** Long timeout, because every step takes seconds in a guest without KVM. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
test.use({ actionTimeout: 60_000 })

let folder: string
let program: ServerProgram | undefined
test.beforeEach(async () => {
  test.setTimeout(25 * 60_000)
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-console-'))
  program = await startProgram({
    folder,
    hypervisor: 'qemu',
    environment: { MAINSTAY_SAMPLE_IMAGE: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage },
  })
})
test.afterEach(async () => {
  await program?.kill()
  program = undefined
  await removeData(folder)
})

const tokenOf = (page: Page) => page.evaluate(() => localStorage.getItem('scopedToken'))

/** Creates the sample virtual machine in the console. Returns the instance's ID. */
async function startGuest(page: Page): Promise<string> {
  await page.goto(program!.url)
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.goto(`${program!.url}/compute/instances`)
  await page.getByRole('button', { name: 'Create sample virtual machine' }).click()
  await expect(page).toHaveURL(/\/compute\/instances\/[^/]+\/console$/)
  return /instances\/([^/]+)\/console/.exec(page.url())![1]!
}

/** Records the page's sockets so that a test can close them. A network proxy would have a different origin. */
const keepSockets = (page: Page) =>
  page.addInitScript(() => {
    const kept: WebSocket[] = []
    Object.assign(globalThis, {
      keptSockets: kept,
      // a Proxy object instead of a subclass, because noVNC checks the prototype's own properties
      WebSocket: new Proxy(WebSocket, {
        construct(original, given: [string]) {
          const socket = new original(...given)
          kept.push(socket)
          return socket
        },
      }),
    })
  })
/** Returns the URLs of all console sockets opened so far. Closes them if `isClosing` is set. */
const screenSockets = (page: Page, isClosing: boolean) =>
  page.evaluate((closes) => {
    const { keptSockets } = globalThis as unknown as { keptSockets: WebSocket[] }
    const screens = keptSockets.filter(({ url }) => url.includes('/websockify'))
    if (closes) for (const socket of screens) socket.close()
    return screens.map(({ url }) => url)
  }, isClosing)

/** Waits until the screen is fully visible without scrolling. */
const fitsItsPlace = (page: Page) =>
  expect
    .poll(() =>
      page.locator('canvas').evaluate(({ parentElement: place }) => {
        const { scrollHeight, clientHeight, scrollWidth, clientWidth } = place!
        return scrollHeight <= clientHeight && scrollWidth <= clientWidth
      }),
    )
    .toBe(true)

test('guest console and terminal: keys, pasted text, reconnecting, stopping and starting', async ({
  page,
  context,
  complaints,
  expectAccessible,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await keepSockets(page)
  const id = await startGuest(page)
  const application = page.getByRole('application')
  const screen = application.locator('canvas')
  const isConnected = () =>
    expect(page.getByRole('button', { name: 'Paste as keystrokes' })).not.toHaveAttribute('aria-disabled', 'true')
  const cleared = async () => {
    await type(page, 'clear\n')
    await expect.poll(() => lit(screen)).toBeLessThan(0.002)
    return lit(screen)
  }
  await openTerminal(page, id)

  await test.step('sends typed keys to the screen, and leaves it with a shortcut', async () => {
    await page.goto(`${program!.url}/compute/servers/instances/${id}/console`)
    await isConnected()
    await expect(screen).toBeFocused()
    const before = await cleared()
    await type(page, 'uptime\n')
    await expect.poll(() => lit(screen)).toBeGreaterThan(before + 0.0005)
    await page.keyboard.press('Control+Alt+Home')
    await expect(page.getByRole('button', { name: 'Ctrl+Alt+Del' })).toBeFocused()
    await expectAccessible()
  })

  await test.step('shows the whole screen at every window size and in both text directions', async () => {
    const before = page.viewportSize()!
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate((dir) => (document.documentElement.dir = dir), direction)
      for (const size of [{ width: 360, height: 720 }, before]) {
        await page.setViewportSize(size)
        await fitsItsPlace(page)
      }
    }
    await page.evaluate(() => (document.documentElement.dir = 'ltr'))
  })

  await test.step('checks pasted text and types it key by key', async () => {
    await screen.click()
    const before = await cleared()
    await page.getByRole('button', { name: 'Paste as keystrokes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paste as keystrokes' })
    await expect(dialog.getByRole('button', { name: 'Type text' })).toHaveAccessibleDescription('Enter text first')
    await dialog.getByLabel('Text to type').fill('Echo "ö"\n')
    await expect(dialog).toContainText('This keyboard layout does not have these characters: ö')
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Type 9 characters' }).click()
    await expect(dialog).toBeHidden()
    await expect.poll(() => lit(screen)).toBeGreaterThan(before)
  })

  await test.step('reconnects with a new ticket after a lost connection', async () => {
    await screenSockets(page, true)
    await expect(page.getByRole('heading', { name: 'Connection lost' })).toBeVisible()
    await isConnected()
    const addresses = await screenSockets(page, false)
    expect(addresses.length).toBeGreaterThan(1)
    expect(new Set(addresses).size).toBe(addresses.length)
    complaints.splice(0)
  })

  await test.step('on the instance page, captures keys only after Enter and releases them again', async () => {
    await page.goto(`${program!.url}/compute/instances/${id}/page`)
    await expect(screen).toBeVisible()
    await application.focus()
    await expect(screen).not.toBeFocused()
    await page.keyboard.press('Tab')
    await expect(application).not.toBeFocused()
    await expect(screen).not.toBeFocused()
    await application.focus()
    await page.keyboard.press('Enter')
    await expect(screen).toBeFocused()
    await page.keyboard.press('Control+Alt+Home')
    await expect(page.getByRole('button', { name: 'Ctrl+Alt+Del' })).toBeFocused()
    await screen.click()
    await expect(screen).toBeFocused()
  })

  await test.step("shows the guest's output and typed text in the terminal, and leaves it with a shortcut", async () => {
    await openTerminal(page, id)
    expect((await run(page, 'echo $((6*7))')).text).toBe('42')
    await page.keyboard.type('uptime')
    await expect(application).toContainText('uptime')
    await expectAccessible()
    await page.keyboard.press('Control+Alt+Home')
    await expect(page.getByRole('button', { name: 'Clear' })).toBeFocused()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as text file' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('sample-terminal.txt')
    expect(await readFile(await saved.path(), 'utf8')).toContain('uptime')
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect(application).not.toContainText('over-')
  })

  await test.step('pastes text unchanged, and shows colours without violating the content security policy', async () => {
    await application.click()
    await page.keyboard.press('Control+C')
    // while `cat` runs, the guest's terminal echoes text without the shell's line editor
    await typeLine(page, 'cat')
    await page.evaluate(() => navigator.clipboard.writeText('grüße'))
    await page.keyboard.press('Control+V')
    await expect(application).toContainText('grüße')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+C')
    await typeLine(page, `printf '\\033[38;2;242;169;59mamber\\033[0m\\n'`)
    await expect(application.locator('.xterm-rows').getByText('amber', { exact: true })).toHaveCSS(
      'color',
      'rgb(242, 169, 59)',
    )
    expect(complaints).toEqual([])
  })

  await test.step('switches between the terminal and the console with one click', async () => {
    await page.getByRole('button', { name: 'Switch to console' }).click()
    await expect(screen).toBeFocused()
    await page.getByRole('button', { name: 'Switch to terminal' }).click()
    await expect(application).toContainText('amber')
  })

  await test.step('shows that the virtual machine is shut down, and starts it', async () => {
    await page.request.post(`${program!.url}${fillPath(instances.stop.path, { id })}`, {
      headers: { 'x-auth-token': (await tokenOf(page))!, 'x-requested-with': 'test' },
      data: { hard: true },
    })
    await expect(page.getByRole('heading', { name: 'No terminal: Shut down' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Switch to console' }).click()
    await expect(page.getByRole('heading', { name: 'No console: Shut down' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Start' }).click()
    await isConnected()
    await page.getByRole('button', { name: 'Switch to terminal' }).click()
    await expect(application).toContainText('guest: ready')
  })
})
