import path from 'node:path'
import process from 'node:process'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test as base, type Page, type TestInfo } from '@playwright/test'
import { adminPassword, startServer, type RunningServer } from './server'

interface Fixtures {
  /** Fills in the sign-in page, also the one that a guard led to, and waits until it is over. */
  signIn: (place?: string) => Promise<void>
  /** Nothing that axe finds, in light and in dark. */
  expectAccessible: () => Promise<void>
  /** What the browser complained of; a test that expects a complaint empties it. */
  complaints: string[]
}

/** Chromium tells of each answer that is not good; what the page makes of it is what tests look at. */
const isOurs = (text: string) => !text.startsWith('Failed to load resource')

export const test = base.extend<Fixtures, { server: RunningServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the name and shape of fixtures is Playwright's
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && isOurs(message.text())) complaints.push(message.text())
      })
      page.on('pageerror', ({ message }) => complaints.push(message))
      await use(complaints)
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
  signIn: async ({ page }, use) =>
    use(async (place) => {
      if (place !== undefined) await page.goto(place)
      await page.getByLabel('User name').fill('admin')
      await page.getByLabel('Password', { exact: true }).fill(adminPassword)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByLabel('Password', { exact: true })).toBeHidden()
    }),
  expectAccessible: async ({ page }, use, testInfo) =>
    use(async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        // on a busy machine the colours of the other scheme are still on their way out
        await page.waitForFunction(
          () => !document.getAnimations().some((it) => it instanceof CSSTransition && it.playState === 'running'),
        )
        await picture(page, testInfo, colorScheme)
        expect(await faultsOf(page), colorScheme).toEqual([])
      }
    }),
})

/** Keeps what axe looks at for people to look at too, in the folder that MAINSTAY_PICTURES names. */
async function picture(page: Page, { titlePath }: TestInfo, colorScheme: string) {
  const folder = process.env['MAINSTAY_PICTURES']
  if (!folder) return
  const direction = await page.evaluate(() => document.documentElement.dir || 'ltr')
  const name = [titlePath[titlePath.length - 2], page.viewportSize()?.width, direction, colorScheme].join(' ')
  await page.screenshot({ path: path.join(folder, `${name.replace(/[^a-z0-9]+/gi, '-')}.png`) })
}

async function faultsOf(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}
