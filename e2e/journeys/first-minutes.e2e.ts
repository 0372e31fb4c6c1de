import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { expect as expectSoon, test, type Page } from '@playwright/test'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../../server/src/testing/server-program'
import { guestImage } from '../../tools/lib/paths.mjs'
import { tier } from '../../tools/lib/tier.mjs'
import { goByMenu, mainMenu } from '../support/menu'
import { press, refuseMouse, tabTo } from '../support/keyboard'
import { lit, type } from './guest-screen'

/** Long timeout, because every step takes seconds in a guest without KVM. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
test.use({ actionTimeout: 60_000 })

let folder: string
let program: ServerProgram | undefined
test.beforeEach(async () => {
  test.setTimeout(15 * 60_000)
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-minutes-'))
  program = await startProgram({
    folder,
    hypervisor: 'qemu',
    environment: { MAINSTAY_SAMPLE_IMAGE: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage },
  })
})
test.afterEach(async () => {
  // undefined if the server failed to start, which the test report shows anyway
  await program?.kill()
  program = undefined
  await removeData(folder)
})

/** Returns the serial log of the guest whose screen is open. */
async function logOf(page: Page): Promise<string> {
  const [, id] = /instances\/([^/]+)\/console/.exec(page.url())!
  const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
  const answer = await page.request.get(`${program!.url}/api/v2/compute/servers/${id}/log`, {
    headers: { 'x-auth-token': token! },
  })
  return answer.text()
}

/** In the gate, the other journeys show that guests boot and that typed keys reach them. */
const awaitsPrompt = tier === 'all'

test(`reaches a guest's ${awaitsPrompt ? 'shell prompt' : 'screen'} from an empty data folder with at most six clicks and without a file`, async ({
  page,
}) => {
  const presses: string[] = []
  await page.exposeFunction('notePress', (what: string) => void presses.push(what))
  await page.addInitScript(() => {
    const tell = (event: Event) => {
      const said = (event.target as Element | null)?.closest('button, a, input, canvas')
      const { notePress } = window as unknown as { notePress(what: string): void }
      if (event.isTrusted) notePress(said?.textContent || said?.tagName || '')
    }
    addEventListener('pointerdown', tell, true)
  })
  await page.goto(program!.url)
  await page.getByLabel('Username').focus()
  await page.keyboard.type('admin')
  await page.keyboard.press('Tab')
  await page.keyboard.type(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(mainMenu(page)).toBeVisible()
  // does not depend on the landing page
  if (!page.url().includes('/compute/instances')) await goByMenu(page, 'Compute')
  await expect(page.getByRole('heading', { name: 'Create your first virtual machine' })).toBeVisible()
  await page.getByRole('button', { name: 'Create sample virtual machine' }).click()

  const screen = page.getByRole('application', { name: 'Console for sample' }).locator('canvas')
  await expect(screen).toBeVisible()
  await expect(page).toHaveURL(/\/compute\/instances\/[^/]+\/console$/)
  const log = () => logOf(page)
  if (awaitsPrompt) {
    await expect.poll(log).toContain('guest: ready')
    // light text on a dark background
    await expect.poll(() => lit(screen)).toBeGreaterThan(0.002)
  }
  await screen.click()
  if (awaitsPrompt) {
    await type(page, 'echo hello-$((6*7)) | tee /dev/ttyS0\n')
    await expect.poll(log).toContain('hello-42')
  }
  expect(presses).toContain('Create sample virtual machine')
  // includes the click on the guest's screen
  expect(presses.length, presses.join(', ')).toBeLessThanOrEqual(6)
})

/** Limit on presses of Tab, the arrow keys and Enter; typed text is not counted. */
const mostKeys = 60

// does not wait for the guest to boot: whole-life.e2e.ts checks that typed keys reach the guest
test(
  `reaches a guest's screen using only the keyboard, with at most ${mostKeys} key presses besides typed text`,
  { tag: '@all' },
  async ({ page }) => {
    await refuseMouse(page)
    const complaints: string[] = []
    page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()))
    const keys: string[] = []
    await page.exposeFunction('noteKey', (key: string) => void keys.push(key))
    await page.addInitScript(() =>
      addEventListener(
        'keydown',
        ({ key, isTrusted }) => {
          if (isTrusted && key.length > 1) (window as unknown as { noteKey(key: string): void }).noteKey(key)
        },
        true,
      ),
    )
    await page.goto(program!.url)
    await tabTo(page.getByLabel('Username'))
    await page.keyboard.type('admin')
    await tabTo(page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(ADMIN_PASSWORD)
    await page.keyboard.press('Enter')
    await expect(mainMenu(page)).toBeVisible()
    if (!page.url().includes('/compute/instances')) await goByMenu(page, 'Compute', undefined, press)
    await press(page.getByRole('button', { name: 'Create sample virtual machine' }))

    const screen = page.getByRole('application', { name: 'Console for sample' })
    await expect(screen.locator('canvas')).toBeVisible()
    // on an instance page, the screen takes keyboard input only after Enter
    await press(screen)
    await expect(screen.locator('canvas')).toBeFocused()
    expect(keys.length, keys.join(' ')).toBeLessThanOrEqual(mostKeys)
    expect(complaints.filter((text) => text.includes('mouse'))).toEqual([])
  },
)
