import path from 'node:path'
import process from 'node:process'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, test as base, type Browser, type BrowserContext, type Page, type TestInfo } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { adminPassword, startServer, type RunningServer } from './server'

/**
 * The user who is signed in when a test begins: `nobody`, `admin` in an empty project, `tenant` (the same user in the
 * demo project), `operator` in the admin panel, or `domain-admin`, the administrator of the demo domain.
 */
export type Person = 'nobody' | 'admin' | 'tenant' | 'operator' | 'domain-admin'
/** Returns a signed-in user's browser storage. Signs in each user only once. */
export type SignedIn = (person: Person) => Promise<Awaited<ReturnType<BrowserContext['storageState']>>>

interface Options {
  as: Person
  /** True to use a new browser context with an empty cache. */
  isCold: boolean
}

interface Fixtures {
  /** Signs in at `place`, or at the current sign-in page, and waits until the form has closed. */
  signIn: (place?: string) => Promise<void>
  /**
   * Expects no axe violations on the current page in light mode. console/src/themes/contrast.spec.ts checks the
   * contrast of both modes. `exclude`: selectors that axe skips. `rules`: changes to the rules of axe.
   */
  expectAccessible: (exclude?: readonly string[], rules?: RunOptions['rules']) => Promise<void>
  /** Saves screenshots of the page in light and dark mode to the folder from MAINSTAY_PICTURES, if set. */
  keepPictures: () => Promise<void>
  /** Console errors and uncaught errors, which fail the test. A test that expects errors must clear the list. */
  complaints: string[]
}

/** Ignores Chromium's message for every failed request; tests check what the page shows instead. */
const isOurs = (text: string) => !text.startsWith('Failed to load resource')

async function fillIn(page: Page, username = 'admin'): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('Password', { exact: true })).toBeHidden()
}

async function enterProject(page: Page, name: string): Promise<void> {
  const chooser = page.getByRole('button', { name: /^Project:/ })
  if ((await chooser.textContent()) === name) return
  await chooser.click()
  await page.getByRole('dialog').getByText(name, { exact: true }).click()
  await expect(page.getByRole('button', { name: `Project: ${name}` })).toBeVisible()
}

const emptyProject = 'nothing in it'

/** Creates a second, empty project for `admin`. */
async function makeEmptyProject(page: Page): Promise<void> {
  const { id } = await page.evaluate(() => JSON.parse(localStorage.getItem('user')!))
  const headers = { 'x-requested-with': 'test' }
  const inDomain = { domain_id: 'default' }
  const made = await page.request.post(fillPath(projects.create.path, inDomain), {
    headers,
    data: { name: emptyProject },
  })
  const { id: project_id } = (await made.json()) as { id: string }
  const assigned = await page.request.patch(fillPath(users.update.path, { ...inDomain, id }), {
    headers,
    data: { assigned_projects: [{ project_id, role: 'project_admin' }] },
  })
  expect(assigned.ok()).toBe(true)
}

const strangers = { cookies: [], origins: [] }

/** Signs in through the page, once for each requested user. */
function signInOnce(browser: Browser, { url, adminUrl }: RunningServer): SignedIn {
  async function signIn(person: Person) {
    if (person === 'nobody') return strangers
    // explicitly empty, because new pages otherwise start with the storage of the test's user
    const page = await browser.newPage({ baseURL: person === 'operator' ? adminUrl : url, storageState: strangers })
    const isOfDomain = person === 'domain-admin'
    await page.goto(isOfDomain ? '/login/Default' : '/login?redirectUrl=/compute/ssh-keys')
    await fillIn(page, isOfDomain ? 'dora' : 'admin')
    await expect(page.getByRole('heading').first()).toBeVisible()
    if (person === 'tenant') await enterProject(page, 'demo')
    if (person === 'admin') {
      await makeEmptyProject(page)
      await enterProject(page, emptyProject)
    }
    if (isOfDomain) {
      await page.getByRole('button', { name: /^Project:/ }).click()
      await page.getByRole('dialog').getByText('Domain administration', { exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
    }
    const state = await page.context().storageState()
    await page.context().close()
    return state
  }
  const known = new Map<Person, ReturnType<SignedIn>>()
  return (person) => {
    const state = known.get(person) ?? signIn(person)
    known.set(person, state)
    return state
  }
}

/**
 * Returns this worker's shared browser context for a user, reset to its initial state. It keeps the cache, because
 * loading and compiling the console would take most of the time of a short test.
 */
type Contexts = (person: Person) => Promise<BrowserContext>

function openOnce(browser: Browser, { url, adminUrl }: RunningServer, signedIn: SignedIn) {
  const contexts = new Map<Person, BrowserContext>()
  return {
    async open(person: Person) {
      const storageState = await signedIn(person)
      const known = contexts.get(person)
      if (!known) {
        const context = await browser.newContext({ baseURL: person === 'operator' ? adminUrl : url, storageState })
        contexts.set(person, context)
        return context
      }
      await known.clearPermissions()
      await known.setStorageState(storageState)
      return known
    },
    async close() {
      for (const context of contexts.values()) await context.close()
    },
  }
}

export const test = base.extend<Fixtures & Options, { server: RunningServer; signedIn: SignedIn; contexts: Contexts }>({
  as: ['nobody', { option: true }],
  isCold: [false, { option: true }],
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright requires a destructuring pattern
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  signedIn: [async ({ browser, server }, use) => use(signInOnce(browser, server)), { scope: 'worker' }],
  contexts: [
    async ({ browser, server, signedIn }, use) => {
      const { open, close } = openOnce(browser, server, signedIn)
      await use(open)
      await close()
    },
    { scope: 'worker' },
  ],
  context: async ({ browser, contexts, as, isCold }, use, testInfo) => {
    const isOwn = as === 'nobody' || isCold
    const context = isOwn ? await browser.newContext() : await contexts(as)
    await use(context)
    if (isOwn) await context.close()
    // pages of failed tests stay open for the screenshot that Playwright takes at the end
    else if (testInfo.status === testInfo.expectedStatus) for (const page of context.pages()) await page.close()
  },
  page: async ({ page, viewport }, use) => {
    // a shared context has the viewport of the test that created it
    await page.setViewportSize(viewport!)
    await use(page)
  },
  baseURL: async ({ server, as }, use) => use(as === 'operator' ? server.adminUrl : server.url),
  storageState: async ({ signedIn, as }, use) => use(await signedIn(as)),
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
      await fillIn(page)
    }),
  keepPictures: async ({ page }, use, testInfo) => use(() => keepPictures(page, testInfo)),
  expectAccessible: async ({ page, keepPictures }, use) =>
    use(async (exclude, rules) => {
      await keepPictures()
      await settled(page)
      expect(await faultsOf(page, exclude, rules)).toEqual([])
    }),
})

/** Waits for running transitions to finish, because colours may still be changing on a busy machine. */
const settled = (page: Page) =>
  page.waitForFunction(
    () => !document.getAnimations().some((it) => it instanceof CSSTransition && it.playState === 'running'),
  )

async function keepPictures(page: Page, { titlePath }: TestInfo) {
  const folder = process.env['MAINSTAY_PICTURES']
  if (!folder) return
  const direction = await page.evaluate(() => document.documentElement.dir || 'ltr')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settled(page)
    const name = [titlePath[titlePath.length - 2], page.viewportSize()?.width, direction, colorScheme].join(' ')
    await page.screenshot({ path: path.join(folder, `${name.replace(/[^a-z0-9]+/gi, '-')}.png`) })
  }
}

async function faultsOf(page: Page, exclude: readonly string[] = [], rules: RunOptions['rules'] = {}) {
  // load axe once per document, and collect details only for violations, because collecting them takes most of the time
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  // `preload` would load all style sheets and media for a rule about audio, which the console does not have
  const options: RunOptions = { resultTypes: ['violations'], preload: false, rules }
  const { violations } = await page.evaluate(
    ([without, given]) => window.axe.run({ include: document, exclude: without }, given),
    [exclude.map((one) => [one]), options] as const,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

declare global {
  interface Window {
    axe: typeof axe
  }
}
