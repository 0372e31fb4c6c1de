import { expect, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { flavors } from '@mainstay/contract/compute/flavors'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { placements } from '@mainstay/contract/compute/placements'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { volumes } from '@mainstay/contract/storage/volumes'
import { routes } from '../../console/src/routes'
import { test as base } from '../support/test'
import { adminPassword } from '../support/server'
import { foreignWords } from './foreign-words'
import { sweptPages, type SweptPage } from './pages'

type Ids = Record<string, string>
interface SignedIn {
  state: { cookies: []; origins: { origin: string; localStorage: { name: string; value: string }[] }[] }
  /** The same person in the administration panel. */
  operator: Awaited<ReturnType<BrowserContext['storageState']>>
  ids: Ids
}
const strangers: SignedIn['state'] = { cookies: [], origins: [] }

async function signIn(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('Password', { exact: true })).toBeHidden()
}

/** In the administration panel, in no project; makes what only operators make. */
async function signInAsOperator(browser: Browser, baseURL: string) {
  const context = await browser.newContext({ baseURL })
  await signIn(await context.newPage())
  const made = await context.request.post(placements.create.path, {
    headers: { 'x-requested-with': 'sweep' },
    data: { name: 'swept' },
  })
  const { id: placement } = (await made.json()) as { id: string }
  const operator = await context.storageState()
  await context.close()
  return { operator, placement }
}

/** What every browser context of a worker starts from: signed in, in the project that the demo world filled. */
const test = base.extend<object, { signedIn: SignedIn }>({
  signedIn: [
    async ({ browser, server }, use) => {
      const context = await browser.newContext({ baseURL: server.url })
      const page = await context.newPage()
      await signIn(page)
      await page.getByRole('button', { name: /^Project:/ }).click()
      await page.getByRole('dialog').getByText('demo', { exact: true }).click()
      await expect(page.getByRole('button', { name: 'Project: demo' })).toBeVisible()
      const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
      const headers = { 'x-auth-token': token! }
      await context.request.post(sshKeys.generate.path, { headers, data: { name: 'swept' } })
      const group = { name: 'swept', policy: 'soft-anti-affinity' }
      await context.request.post(serverGroups.create.path, { headers, data: group })
      const ids: Ids = {}
      const lists = {
        server: instances.list,
        image: images.list,
        volume: volumes.list,
        key: sshKeys.list,
        server_group: serverGroups.list,
        flavor: flavors.list,
      }
      for (const [kind, { path }] of Object.entries(lists)) {
        const query = kind === 'server' ? '?status=ACTIVE' : ''
        const { data } = (await (await context.request.get(`${path}${query}`, { headers })).json()) as {
          data: { id: string }[]
        }
        ids[kind] = data[0]!.id
      }
      const { operator, placement } = await signInAsOperator(browser, server.adminUrl)
      await use({ state: (await context.storageState()) as SignedIn['state'], operator, ids: { ...ids, placement } })
      await context.close()
    },
    { scope: 'worker' },
  ],
})

const wide = { width: 1440, height: 900 }
const narrow = { width: 360, height: 720 }

/** The page is there: loaded, headed, titled, and nothing turns any more. */
async function isShown(page: Page, { isBlank }: SweptPage) {
  if (!isBlank) await expect(page.getByRole('heading').first()).toBeVisible()
  await expect(page.locator('[role=progressbar]:not([aria-valuenow])')).toHaveCount(0)
  await page.waitForLoadState('networkidle')
}

/** What sticks out of the page sideways, when the page scrolls that way. */
const sticksOut = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const isOut = (element: Element) => {
      const { left, right } = element.getBoundingClientRect()
      return left < -1 || right > clientWidth + 1
    }
    return [...document.body.querySelectorAll('*')]
      .filter(isOut)
      .map((element) => `${element.tagName} ${element.className}`)
  })

async function reachByTab(page: Page, action: string | RegExp) {
  const steps: string[] = []
  for (let step = 0; step < 80; step += 1) {
    const name = await page.evaluate(() => {
      const it = document.activeElement
      if (!(it instanceof HTMLElement) || it === document.body) return ''
      const label =
        it.getAttribute('aria-label') ?? ('labels' in it ? (it as HTMLInputElement).labels?.[0]?.innerText : null)
      return (label ?? it.innerText).trim()
    })
    if (typeof action === 'string' ? name.startsWith(action) : name !== '' && action.test(name)) return
    steps.push(name)
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(action)}, only to: ${steps.join(' · ')}`)
}

test('every page of the console is swept, and nothing else', () => {
  expect(Object.keys(sweptPages).toSorted()).toEqual(routes.map(({ path }) => path).toSorted())
})

const address = ({ at }: SweptPage, ids: Ids) => at.replace(/:(\w+)/g, (_, kind: string) => ids[kind]!)

test.describe('sweep', () => {
  test.describe.configure({ mode: 'parallel' })
  for (const [path, swept] of Object.entries(sweptPages)) {
    test.describe(path, () => {
      if (swept.waitsForServer) test.beforeEach(({ page }) => page.route('**/api/v2/panel', (route) => route.abort()))
      test.use({
        baseURL: async ({ server }, use) => use(swept.isForOperators ? server.adminUrl : server.url),
        storageState: async ({ signedIn }, use) =>
          use(swept.isForStrangers ? strangers : swept.isForOperators ? signedIn.operator : signedIn.state),
      })

      test(`${path} is clean for axe in light and dark, wide and narrow, has a heading and a title, and Tab reaches what one comes for`, async ({
        page,
        signedIn,
        expectAccessible,
      }) => {
        await page.goto(address(swept, signedIn.ids))
        await isShown(page, swept)
        expect(await page.title()).toMatch(/\S - \S/)
        if (swept.action !== null && !swept.isBlank) await reachByTab(page, swept.action)
        // the tip of the button in focus stands outside every landmark, as all tips do
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
        if (!swept.isBlank) await expectAccessible()
        await page.setViewportSize(narrow)
        await expect.poll(() => sticksOut(page)).toEqual([])
        if (!swept.isBlank) await expectAccessible()
      })

      test(`${path} has no text of its own that is not translated, and fits from right to left`, async ({
        page,
        signedIn,
        context,
        baseURL,
        expectAccessible,
      }) => {
        const known = new Set<string>()
        const reading: Promise<unknown>[] = []
        page.on('response', (response) => {
          if (response.url().includes('/api/'))
            reading.push(
              response.text().then(
                (text) => known.add(text),
                () => undefined,
              ),
            )
        })
        await context.addCookies([{ name: 'language', value: 'en-XA', url: baseURL! }])
        await page.goto(address(swept, signedIn.ids))
        await page.evaluate(() => (document.documentElement.dir = 'rtl'))
        await isShown(page, swept)
        await Promise.all(reading)
        expect(await foreignWords(page, [...known].join(' '))).toEqual([])
        await page.setViewportSize(narrow)
        await expect.poll(() => sticksOut(page)).toEqual([])
        await page.setViewportSize(wide)
        if (!swept.isBlank) await expectAccessible()
      })
    })
  }
})
