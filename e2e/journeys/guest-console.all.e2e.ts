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

/** A guest without KVM needs seconds for everything. */
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
    environment: { MAINSTAY_TRY_OUT_GUEST: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage },
  })
})
test.afterEach(async () => {
  await program?.kill()
  program = undefined
  await removeData(folder)
})

const tokenOf = (page: Page) => page.evaluate(() => localStorage.getItem('scopedToken'))

/** Starts the try-out guest, and answers its ID. */
async function startGuest(page: Page): Promise<string> {
  await page.goto(program!.url)
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.goto(`${program!.url}/compute/instances`)
  await page.getByRole('button', { name: 'Start the try-out guest' }).click()
  await expect(page).toHaveURL(/\/compute\/instances\/[^/]+\/console$/)
  return /instances\/([^/]+)\/console/.exec(page.url())![1]!
}

/** Keeps the page's own sockets, to break them off from inside: a proxy in between would be another origin to the server. */
const keepSockets = (page: Page) =>
  page.addInitScript(() => {
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
/** The addresses of the sockets of screens so far, which are closed with `isClosing`. */
const screenSockets = (page: Page, isClosing: boolean) =>
  page.evaluate((closes) => {
    const { keptSockets } = globalThis as unknown as { keptSockets: WebSocket[] }
    const screens = keptSockets.filter(({ url }) => url.includes('/websockify'))
    if (closes) for (const socket of screens) socket.close()
    return screens.map(({ url }) => url)
  }, isClosing)

/** All of the screen is seen. */
const fitsItsPlace = (page: Page) =>
  expect
    .poll(() =>
      page.locator('canvas').evaluate(({ parentElement: place }) => {
        const { scrollHeight, clientHeight, scrollWidth, clientWidth } = place!
        return scrollHeight <= clientHeight && scrollWidth <= clientWidth
      }),
    )
    .toBe(true)

test('the screen and the terminal of a guest: keys, pasted texts, a broken connection, a stop and a start', async ({
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

  await test.step('typed keys change the screen, and a shortcut leads out of it', async () => {
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

  await test.step('all of the screen is seen on every size and in both directions', async () => {
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

  await test.step('a text is typed key by key after it was looked at', async () => {
    await screen.click()
    const before = await cleared()
    await page.getByRole('button', { name: 'Paste as keystrokes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paste as keystrokes' })
    await expect(dialog.getByRole('button', { name: 'Type text' })).toHaveAccessibleDescription('Enter a text first')
    await dialog.getByLabel('Text to type').fill('Echo "ö"\n')
    await expect(dialog).toContainText('This keyboard does not have: ö')
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Type 9 characters' }).click()
    await expect(dialog).toBeHidden()
    await expect.poll(() => lit(screen)).toBeGreaterThan(before)
  })

  await test.step('a broken connection is made again with a new ticket', async () => {
    await screenSockets(page, true)
    await expect(page.getByRole('heading', { name: 'The connection broke off' })).toBeVisible()
    await isConnected()
    const addresses = await screenSockets(page, false)
    expect(addresses.length).toBeGreaterThan(1)
    expect(new Set(addresses).size).toBe(addresses.length)
    complaints.splice(0)
  })

  await test.step('on its page the screen takes keys after Enter alone, and gives them back', async () => {
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

  await test.step('a terminal shows what the guest wrote and what is typed, and a shortcut leads out of it', async () => {
    await openTerminal(page, id)
    expect((await run(page, 'echo $((6*7))')).text).toBe('42')
    await page.keyboard.type('uptime')
    await expect(application).toContainText('uptime')
    await expectAccessible()
    await page.keyboard.press('Control+Alt+Home')
    await expect(page.getByRole('button', { name: 'Clear' })).toBeFocused()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as text' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('try-out-terminal.txt')
    expect(await readFile(await saved.path(), 'utf8')).toContain('uptime')
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect(application).not.toContainText('over-')
  })

  await test.step('a text is pasted into it as it is, and colours do not break the policy of the page', async () => {
    await application.click()
    await page.keyboard.press('Control+C')
    // what the terminal of the guest echoes, with no line editor between
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

  await test.step('the screen is one press away from the terminal, and the terminal from the screen', async () => {
    await page.getByRole('button', { name: 'Use the screen' }).click()
    await expect(screen).toBeFocused()
    await page.getByRole('button', { name: 'Use the terminal' }).click()
    await expect(application).toContainText('amber')
  })

  await test.step('one that is shut down says so, and can be started from here', async () => {
    await page.request.post(`${program!.url}${fillPath(instances.stop.path, { id })}`, {
      headers: { 'x-auth-token': (await tokenOf(page))!, 'x-requested-with': 'test' },
      data: { hard: true },
    })
    await expect(page.getByRole('heading', { name: 'No terminal: Shut down' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Use the screen' }).click()
    await expect(page.getByRole('heading', { name: 'No screen: Shut down' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Start' }).click()
    await isConnected()
    await page.getByRole('button', { name: 'Use the terminal' }).click()
    await expect(application).toContainText('guest: ready')
  })
})
