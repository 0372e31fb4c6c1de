import process from 'node:process'
import { expect, type Page, type PlaywrightWorkerArgs, type Request } from '@playwright/test'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { examplesOf, kindsIn } from '@mainstay/contract/core/example'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { projects } from '@mainstay/contract/identity/projects'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { users } from '@mainstay/contract/identity/users'
import { resourceList } from '@mainstay/contract/resources'
import { pseudo } from '../../console/src/i18n/pseudo'
import { adminRoutes as routes } from '../../console/src/admin-routes'
import { makeRsaCertificate } from '../../server/src/testing/certificates/rsa-certificate'
import { tier } from '../../tools/lib/tier.mjs'
import { openRequests } from '../support/requests'
import { test as base, type Person, type SignedIn } from '../support/test'
import type { RunningServer } from '../support/server'
import { foreignWords } from './foreign-words'
import { prepareNetworking } from './networking'
import { prepareLoadBalancing } from './load-balancing'
import { objectStorageData, prepareObjectStorage } from './object-storage'
import { specialPaths, sweptInAllOnly, sweptNarrowToo, sweptOverlays, sweptPages } from './pages'
import { prepareProtection } from './protection'
import { prepareStorage } from './storage'
import type { SweptPage } from './swept-page'
import { prepareVpn } from './vpn'

const wide = { width: 1440, height: 900 }
type Ids = Record<string, string>

/** Creates objects missing from the demo world. Returns the ID of one object of each kind that a page shows. */
async function prepare(
  request: PlaywrightWorkerArgs['playwright']['request'],
  server: RunningServer,
  signedIn: SignedIn,
): Promise<Ids> {
  const { operator, tenant } = await openRequests(request, server, signedIn)
  const ids: Ids = await prepareNetworking(operator, tenant)
  Object.assign(ids, await prepareStorage(tenant))
  Object.assign(ids, await prepareProtection(tenant, ids['volume']!))
  Object.assign(ids, await prepareLoadBalancing(tenant, ids['network']!))
  Object.assign(ids, await prepareVpn(tenant, ids['router']!, ids['subnet4']!))
  await prepareObjectStorage(operator, tenant)
  for (const { path, shows } of routes) {
    const swept = sweptPages[path]!
    if (shows === undefined || shows === 'task' || swept.isForDomain) continue
    const shown = resourceList.find(([, { kind }]) => kind?.name === shows)
    // bulk runs are not in the index
    if (!shown || shows in ids) continue
    const { list, create } = shown[1].calls
    // one page shows the whole tree of locations
    if (!list) continue
    const parent = shown[1].kind?.parent
    const parents = parent ? { [parent.field]: ids[parent.kind.name]! } : {}
    const person = swept.isForOperators ? operator : tenant
    const first = async () => {
      // pages for actions require a running instance
      const answer = await person.get(`${fillPath(list.path, parents)}${shows === 'server' ? '?status=ACTIVE' : ''}`)
      return ((await answer.json()) as { data: { id: string }[] }).data[0]
    }
    const example = examplesOf(create?.body).find((it) => kindsIn(it).length === 0)
    if (!(await first()) && create) await person.post(fillPath(create.path, parents), { data: example })
    ids[shows] = (await first())!.id
  }
  // a bulk run with a failed item
  const run = await tenant.post(bulkRuns.create.path, {
    data: { kind: 'server', action: 'start', ids: [ids['server'], 'gone'] },
  })
  const { id, task_id } = (await run.json()) as { id: string; task_id: string }
  Object.assign(ids, { bulkRun: id, task: task_id })
  await operator.dispose()
  await tenant.dispose()

  const { origins: ofDomain } = await signedIn('domain-admin')
  const kept = ofDomain[0]!.localStorage.find(({ name }) => name === 'user')!.value
  const { domain_id } = JSON.parse(kept) as { domain_id: string }
  const admin = await request.newContext({
    baseURL: server.url,
    storageState: await signedIn('domain-admin'),
    extraHTTPHeaders: { 'x-requested-with': 'sweep' },
  })
  // this call may fail because an earlier run has already created the group
  await admin.post(fillPath(groups.create.path, { domain_id }), {
    data: { name: 'Swept', description: 'Of the sweep' },
  })
  const rule = { name: 'Uploads', values: ['developers'], domain_permission: 'image_upload' }
  await admin.post(fillPath(identityProviders.create.path, { domain_id }), {
    data: { name: 'Swept', issuer: 'https://login.example', client_id: 'console', mapping: { rules: [rule] } },
  })
  await admin.post(fillPath(identityProviders.create.path, { domain_id }), {
    data: {
      ...{ name: 'By SAML', protocol: 'saml', issuer: 'https://saml.example', sso_url: 'https://saml.example/sso' },
      certificates: [makeRsaCertificate({ names: ['saml.example'] }).cert],
    },
  })
  const { data: demo } = (await (
    await admin.get(`${fillPath(projects.list.path, { domain_id })}?name=demo`)
  ).json()) as { data: { id: string }[] }
  const project_id = demo[0]!.id
  const made = await admin.post(fillPath(users.create.path, { domain_id }), {
    data: { name: 'swept_program', assigned_projects: [{ project_id, role: 'service_account' }] },
  })
  if (made.ok()) {
    const { id } = (await made.json()) as { id: string }
    const expires_at = new Date(Date.now() + 30 * 24 * 3600_000).toISOString()
    await admin.post(fillPath(serviceTokens.create.path, { domain_id, id }), {
      data: { name: 'nightly backup', project_id, read_only: true, expires_at },
    })
  }
  for (const [kind, { path }, name] of [
    ['user', users.list, 'ada'],
    ['service', users.list, 'swept_program'],
    ['project', projects.list, 'demo'],
    ['group', groups.list, 'Swept'],
    ['provider', identityProviders.list, 'Swept'],
    ['samlProvider', identityProviders.list, 'By SAML'],
  ] as const) {
    const at = fillPath(path, { domain_id })
    const { data } = (await (await admin.get(`${at}?name=${name}`)).json()) as { data: { id: string }[] }
    ids[kind] = data[0]!.id
  }
  await admin.dispose()
  return ids
}

/**
 * In the pseudo-language, every letter in a translated text has an accent. Screenshots (MAINSTAY_PICTURES) are in
 * English, where untranslated words cannot be detected.
 */
const language = process.env['MAINSTAY_PICTURES'] ? 'en' : 'en-XA'

/** Returns this worker's tab for a user. All of the user's pages are swept in it, one after the other. */
type Tabs = (person: Person) => Promise<Page>

/** For each tab: pending requests, responses that are still being read, and all words that the server has sent. */
interface Heard {
  underWay: Set<Request>
  coming: Set<Promise<unknown>>
  words: Set<string>
}
const heardIn = new WeakMap<Page, Heard>()

function hear(page: Page): void {
  const heard: Heard = { underWay: new Set(), coming: new Set(), words: new Set() }
  const take = (text: string) => {
    // the n in a JSON line break (`\n`) does not belong to the next word
    for (const [word] of text.replaceAll('\\n', ' ').matchAll(/[A-Za-z]{2,}/g)) heard.words.add(word)
  }
  page.on('request', (request) => heard.underWay.add(request))
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => heard.underWay.delete(request))
  page.on('response', (response) => {
    if (!response.url().includes('/api/')) return
    const text = response.text().then(take, () => undefined)
    heard.coming.add(text)
    void text.finally(() => heard.coming.delete(text))
  })
  // messages pushed by the server, such as an alert
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => take(payload.toString())))
  heardIn.set(page, heard)
}

const test = base.extend<object, { ids: Ids; tabs: Tabs }>({
  ids: [
    async ({ playwright, server, signedIn }, use) => use(await prepare(playwright.request, server, signedIn)),
    { scope: 'worker' },
  ],
  tabs: [
    async ({ browser, server, signedIn }, use) => {
      const tabs = new Map<Person, Promise<Page>>()
      const open = async (person: Person) => {
        const baseURL = person === 'operator' ? server.adminUrl : server.url
        const context = await browser.newContext({ baseURL, storageState: await signedIn(person) })
        await context.addCookies([{ name: 'language', value: language, url: baseURL }])
        const page = await context.newPage()
        hear(page)
        return page
      }
      await use((person) => {
        const tab = tabs.get(person) ?? open(person)
        tabs.set(person, tab)
        return tab
      })
      for (const tab of tabs.values()) await (await tab).context().close()
    },
    { scope: 'worker' },
  ],
  page: async ({ tabs, as }, use) => {
    const page = await tabs(as)
    await page.setViewportSize(wide)
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    // move the pointer away from elements of the previous page
    await page.mouse.move(0, 0)
    await use(page)
    if (page.url() !== 'about:blank') await page.evaluate(() => sessionStorage.clear())
    await page.unrouteAll()
    for (const event of ['console', 'pageerror']) page.removeAllListeners(event)
  },
})

/**
 * Waits until no request is pending and the page is idle, twice in a row. Takes half a second less than `networkidle`.
 */
async function isQuiet(page: Page) {
  const { underWay: requests } = heardIn.get(page)!
  let calm = 0
  const look = async () => {
    await page.evaluate(() => new Promise<void>((idle) => requestIdleCallback(() => idle(), { timeout: 1000 })))
    return (calm = requests.size === 0 ? calm + 1 : 0)
  }
  await expect.poll(look, { intervals: [80] }).toBeGreaterThan(1)
}

const narrow = { width: 360, height: 720 }

/** Waits until the page has a heading, is quiet and shows no spinner. */
async function isShown(page: Page, { isBlank, opens }: SweptPage) {
  if (!isBlank) await expect(page.getByRole('heading').first()).toBeVisible()
  await isQuiet(page)
  if (opens) {
    await opens(page)
    await isQuiet(page)
  }
  await expect(page.locator('[role=progressbar]:not([aria-valuenow])')).toHaveCount(0)
}

/** Returns the elements that overflow the page horizontally, if the page scrolls in that direction. */
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

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']
const unaccented = new Map(letters.map((letter) => [(pseudo(letter) as string)[1]!, letter]))

/** Converts a pseudo-language text back to English. */
const english = (text: string) =>
  text.replace(/^\[| ~+\]/g, '').replace(/./gu, (letter) => unaccented.get(letter) ?? letter)

/**
 * Records the names of focused elements inside the page, because a query after each key press takes longer than the key
 * press itself.
 */
const noteFocus = (page: Page) =>
  page.evaluate(() => {
    const nameOf = (it: Element | null) => {
      if (!(it instanceof HTMLElement) || it === document.body) return ''
      const label =
        it.getAttribute('aria-label') ?? ('labels' in it ? (it as HTMLInputElement).labels?.[0]?.innerText : null)
      return (label ?? it.innerText).trim()
    }
    const focused = [nameOf(document.activeElement)]
    document.addEventListener('focusin', ({ target }) => focused.push(nameOf(target as Element)), true)
    Object.assign(window, { focused })
  })
const notedFocus = (page: Page) => page.evaluate(() => (window as unknown as { focused: string[] }).focused)

/** Expects Tab to reach the main action. Makes a second attempt if the page was still loading during the first. */
async function reachByTab(page: Page, action: string | RegExp) {
  const isIt = (name: string) =>
    typeof action === 'string' ? name.startsWith(action) : name !== '' && action.test(name)
  await noteFocus(page)
  for (let presses = 0; presses <= 160; presses += 8) {
    if (presses === 80) await isQuiet(page)
    if ((await notedFocus(page)).map(english).some(isIt)) return
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('Tab')
  }
  const names = (await notedFocus(page)).map(english)
  throw new Error(`Tab does not lead to ${String(action)}, only to: ${names.slice(80).join(' · ')}`)
}

test('sweeps every console page, and only existing pages', () => {
  expect(specialPaths.filter((path) => !(path in sweptPages))).toEqual([])
  // no path contains a parameter that was not filled in
  expect(Object.values(sweptPages).filter(({ at }) => /[${]|:undefined/.test(at))).toEqual([])
  expect([...sweptNarrowToo].filter((path) => !(path in sweptPages))).toEqual([])
  expect([...sweptInAllOnly].filter((path) => !(path in sweptPages || path in sweptOverlays))).toEqual([])
})

const personOf = ({ isForStrangers, isForOperators, isForDomain }: SweptPage): Person => {
  if (isForStrangers) return 'nobody'
  if (isForDomain) return 'domain-admin'
  return isForOperators ? 'operator' : 'tenant'
}

const address = ({ at }: SweptPage, ids: Ids) => at.replace(/:(\w+)/g, (_, kind: string) => ids[kind]!)

/** The header and the menu, which are the same on every page; axe checks them on five pages only. */
const frame = ['header', 'nav'].map((part) => `${part}:not(#content ${part}, [role$=dialog] ${part})`)

/**
 * For most pages in the gate, because measuring the contrast of each text is slow. Similar pages share their components,
 * and console/src/themes/contrast.spec.ts checks the contrast of all colours.
 */
const withoutContrast = { 'color-contrast': { enabled: false } }

/**
 * Opens a page in a tab. Navigates inside the console if possible, which takes half as long as a page load. Pages
 * without a session, overlays and pages after a dialog require a page load, because a dialog blocks navigation.
 */
async function goTo(page: Page, path: string, swept: SweptPage, to: string): Promise<void> {
  const { isForStrangers, isBlank, waitsForServer, opens } = swept
  const isOver = routes.some((route) => route.path === path && route.over !== undefined)
  const isOther = isForStrangers || isBlank || waitsForServer || opens || isOver
  if (page.url() !== 'about:blank' && !isOther && (await page.locator('[role$=dialog]').count()) === 0) {
    const before = await page.title()
    await page.evaluate((at) => {
      document.documentElement.dir = 'ltr'
      // remove React Aria's announcements from the previous page
      document.querySelector('[data-live-announcer]')?.remove()
      history.pushState({}, '', at)
    }, to)
    // a new title shows that navigation has happened; pages with the same title are loaded instead
    const hasBegun = () => page.waitForFunction((title) => document.title !== title, before, { timeout: 1_500 })
    const isHere = await hasBegun().then(Boolean, () => false)
    // the rest of the content may appear later
    if (isHere) return expect(page.locator('h1').first()).toBeVisible()
  }
  await page.goto(to)
}

test.describe('sweep', () => {
  test.describe.configure({ mode: 'parallel' })
  for (const [path, swept] of Object.entries({ ...sweptPages, ...sweptOverlays })) {
    test.describe(path, { tag: sweptInAllOnly.has(path) ? ['@all'] : [] }, () => {
      if (swept.waitsForServer) test.beforeEach(({ page }) => page.route('**/api/v2/panel', (route) => route.abort()))
      test.use({ as: personOf(swept) })

      const isForTelephones = sweptNarrowToo.has(path)
      const rules = tier === 'all' || isForTelephones || path in sweptOverlays ? {} : withoutContrast
      test(`${path}: passes axe${isForTelephones ? ', wide and narrow' : ''}, has a title, is translated, can be used with Tab, and fits 360 px`, async ({
        page,
        ids,
        expectAccessible,
        keepPictures,
      }) => {
        await goTo(page, path, swept, address(swept, ids))
        await isShown(page, swept)
        await expect(page).toHaveTitle(/\S - \S/)
        const { coming, words } = heardIn.get(page)!
        await Promise.all(coming)
        if (language === 'en-XA')
          expect(await foreignWords(page, `${[...words].join(' ')} ${objectStorageData}`)).toEqual([])
        if (swept.action !== null && !swept.isBlank) await reachByTab(page, swept.action)
        // remove the focus, because the tooltip of a focused button is outside every landmark
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
        if (!swept.isBlank) await expectAccessible(isForTelephones ? [] : frame, rules)
        await page.setViewportSize(narrow)
        await expect.poll(() => sticksOut(page)).toEqual([])
        if (isForTelephones) await expectAccessible()
        else await keepPictures()
        // switch without a reload, because only styles depend on the direction
        await page.evaluate(() => (document.documentElement.dir = 'rtl'))
        await expect.poll(() => sticksOut(page)).toEqual([])
        await keepPictures()
      })
    })
  }
})
