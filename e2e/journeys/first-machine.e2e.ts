import { copyFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { expect, test, type BrowserContext, type Locator, type Page } from '@playwright/test'
import {
  ADMIN_PASSWORD,
  machineProcesses,
  removeData,
  startProgram,
  type ServerProgram,
} from '../../server/src/testing/server-program'
import { guestImage } from '../../tools/lib/paths.mjs'

const image = process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage
/** A guest without KVM needs seconds for everything, on a busy machine many. */
const guestTakesMs = 120_000

test.use({ actionTimeout: 20_000 })

let folder: string
let program: ServerProgram | undefined
test.beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-journey-'))
})
test.afterEach(async () => {
  await program?.kill()
  program = undefined
  await removeData(folder)
})

const serve = (port = '0') =>
  startProgram({ folder, hypervisor: 'qemu', built: true, environment: { MAINSTAY_PORT: port } })

test('from sign-in to a real machine whose screen one types into, and which goes on while the server is restarted', async ({
  page,
  context,
}) => {
  test.setTimeout(5 * 60_000)
  program = await serve()
  const { port } = new URL(program.url)

  await test.step('sign in', async () => {
    await page.goto(program!.url)
    await page.getByLabel('User name').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Virtual machines' })).toBeVisible()
  })

  await test.step('upload a disk image', async () => {
    const file = path.join(folder, 'small-guest.qcow2')
    await copyFile(image, file)
    await page.getByRole('link', { name: 'Volumes' }).click()
    await page.getByRole('link', { name: 'Images' }).click()
    await page.getByRole('link', { name: 'Add image' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add image' })
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: 'Choose file' }).click()
    await (await choosing).setFiles(file)
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('small-guest')
    await dialog.getByRole('button', { name: 'Add image' }).click()
    await expect(cellsOf(page, 'small-guest', 'Active')).toBeVisible({ timeout: guestTakesMs })
  })

  await test.step('create a virtual machine in the wizard', async () => {
    await page.getByRole('link', { name: 'Virtual machines' }).click()
    await page.getByRole('link', { name: 'Create virtual machine' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('first-machine')
    await page.getByRole('link', { name: 'Choose: Boot from' }).click()
    const choice = page.getByRole('dialog', { name: 'Boot from' })
    await choice.getByRole('row').filter({ hasText: 'small-guest' }).click()
    await choice.getByRole('button', { name: 'Done' }).click()
    await expect(choice).toBeHidden()
    await page.getByRole('button', { name: 'Deploy virtual machine' }).click()
  })

  await test.step('watch it become active without reloading', async () => {
    await page.evaluate(() => Object.assign(window, { notReloaded: true }))
    await expect(page.getByRole('row').filter({ hasText: 'first-machine' })).toBeVisible()
    await expect(cellsOf(page, 'first-machine', 'Active')).toBeVisible({ timeout: guestTakesMs })
    expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true)
  })

  const [[id, pid] = ['', 0]] = await machineProcesses(folder)
  const { tab, screen } = await test.step('open its screen', () => openScreen(context, page))

  await test.step('see what the guest shows', async () => {
    await expect(log(page)).toContainText('guest: ready', { timeout: guestTakesMs })
    // a text on a dark ground: neither nothing nor everything is lit
    await expect.poll(() => lit(screen)).toBeGreaterThan(0.002)
    expect(await lit(screen)).toBeLessThan(0.5)
  })

  await test.step('type into it', async () => {
    await screen.click()
    await type(tab, 'clear\n')
    await expect.poll(() => lit(screen), { timeout: guestTakesMs }).toBeLessThan(0.002)
    const empty = await lit(screen)
    await type(tab, 'echo hello-$((6*7)) | tee /dev/ttyS0\n')
    await expect.poll(() => lit(screen), { timeout: guestTakesMs }).toBeGreaterThan(empty + 0.001)
    await expect(log(page)).toContainText('hello-42', { timeout: guestTakesMs })
  })

  await test.step('restart the server: the same machine goes on, and the screen comes back', async () => {
    await program!.stop()
    await expect(tab.getByRole('status').filter({ hasText: 'The connection broke off' })).toBeVisible()
    expect(await machineProcesses(folder)).toEqual(new Map([[id, pid]]))
    program = await serve(port)
    await expect(screen).toBeVisible({ timeout: guestTakesMs })
    expect(await machineProcesses(folder)).toEqual(new Map([[id, pid]]))
    await screen.click()
    await type(tab, 'clear\n')
    await expect.poll(() => lit(screen), { timeout: guestTakesMs }).toBeLessThan(0.002)
    await type(tab, 'echo again-$((7*7)) | tee /dev/ttyS0\n')
    await follow(page)
    await expect(log(page)).toContainText('again-49', { timeout: guestTakesMs })
    // it has booted once
    expect((await log(page).innerText()).match(/guest: ready/g)).toHaveLength(1)
  })
})

/** The cells of a row with this text. */
const cellsOf = (page: Page, row: string, text: string): Locator =>
  page.getByRole('row').filter({ hasText: row }).getByRole('gridcell', { name: text, exact: true })

/** The console log in the first tab goes on by itself; after a restart one asks for that again. */
async function follow(page: Page): Promise<void> {
  const isFollowing = page.getByRole('switch', { name: 'Follow' })
  // the page may take its first look at the log, and so decide for itself, while the switch is pressed
  await expect(async () => {
    if (!(await isFollowing.isChecked())) await page.getByText('Follow', { exact: true }).click()
    await expect(isFollowing).toBeChecked({ timeout: 2000 })
  }).toPass()
}

const log = (page: Page): Locator => page.getByRole('region', { name: 'Console log' })

const shifted: Record<string, string> = {
  $: 'Digit4',
  '*': 'Digit8',
  '(': 'Digit9',
  ')': 'Digit0',
  '|': 'Backslash',
  S: 'KeyS',
}
/** As hands do it on an English keyboard: a guest is told of keys, the one for capitals included. */
async function type({ keyboard }: Page, text: string): Promise<void> {
  for (const character of text) {
    const key = shifted[character]
    if (key) await keyboard.press(`Shift+${key}`)
    else await keyboard.press(character === '\n' ? 'Enter' : character === ' ' ? 'Space' : character)
  }
}

/** The screen in its own tab; the first one shows the console log meanwhile. */
async function openScreen(context: BrowserContext, page: Page): Promise<{ tab: Page; screen: Locator }> {
  const opening = context.waitForEvent('page')
  const row = page.getByRole('row').filter({ hasText: 'first-machine' })
  await row.getByRole('button', { name: 'Open console' }).click()
  const tab = await opening
  const screen = tab.getByRole('application', { name: 'Screen of first-machine' }).locator('canvas')
  await expect(screen).toBeVisible({ timeout: guestTakesMs })
  await page.getByRole('link', { name: 'first-machine' }).click()
  await page.getByRole('tab', { name: 'Console log' }).click()
  await follow(page)
  return { tab, screen }
}

/** Share of the pixels that are not dark. */
const lit = (screen: Locator): Promise<number> =>
  screen.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4) if (data[at]! + data[at + 1]! + data[at + 2]! > 240) count++
    return count / (data.length / 4)
  })
