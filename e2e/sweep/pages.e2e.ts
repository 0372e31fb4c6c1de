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
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { resourceList } from '@mainstay/contract/resources'
import { pseudo } from '../../console/src/i18n/pseudo'
import { routes } from '../../console/src/routes'
import { makeRsaCertificate } from '../../server/src/testing/rsa-certificate'
import { openRequests } from '../support/requests'
import { test as base, type Person, type SignedIn } from '../support/test'
import type { RunningServer } from '../support/server'
import { foreignWords } from './foreign-words'
import { prepareNetworking } from './networking'
import { prepareLoadBalancing } from './load-balancing'
import { objectStorageData, prepareObjectStorage } from './object-storage'
import { specialPaths, sweptNarrowToo, sweptOverlays, sweptPages } from './pages'
import type { SweptPage } from './swept-page'
import { prepareVpn } from './vpn'

const wide = { width: 1440, height: 900 }
type Ids = Record<string, string>

/** Makes what the demo world has none of, and answers the id of a row of each kind that a page shows. */
async function prepare(
  request: PlaywrightWorkerArgs['playwright']['request'],
  server: RunningServer,
  signedIn: SignedIn,
): Promise<Ids> {
  const { operator, tenant } = await openRequests(request, server, signedIn)
  // what is deleted is what the recycle bin shows
  const { id: deleted } = (await (
    await tenant.post(volumes.create.path, { data: { name: 'swept-away', size: GiB } })
  ).json()) as { id: string }
  const bin = fillPath(volumes.delete.path, { id: deleted })
  await expect.poll(async () => (await tenant.delete(bin)).status()).toBe(202)
  const ids: Ids = await prepareNetworking(operator, tenant)
  Object.assign(ids, await prepareLoadBalancing(tenant, ids['network']!))
  Object.assign(ids, await prepareVpn(tenant, ids['router']!, ids['subnet4']!))
  await prepareObjectStorage(operator, tenant)
  for (const { path, shows } of routes) {
    const swept = sweptPages[path]!
    if (shows === undefined || shows === 'task' || swept.isForDomain) continue
    const shown = resourceList.find(([, { kind }]) => kind?.name === shows)
    // a run is no row of the index
    if (!shown || shows in ids) continue
    const { list, create } = shown[1].calls
    const person = swept.isForOperators ? operator : tenant
    const first = async () => {
      // what can be done to an instance is done to one that runs
      const answer = await person.get(`${list!.path}${shows === 'server' ? '?status=ACTIVE' : ''}`)
      return ((await answer.json()) as { data: { id: string }[] }).data[0]
    }
    const example = examplesOf(create?.body).find((it) => kindsIn(it).length === 0)
    if (!(await first()) && create) await person.post(create.path, { data: example })
    ids[shows] = (await first())!.id
  }
  // one that ends with something that it could not do
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
  // one that another run has made is as good
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
 * Every letter of a text of the console has an accent. Pictures for people (MAINSTAY_PICTURES) are in English, of whose
 * words nothing can be said.
 */
const language = process.env['MAINSTAY_PICTURES'] ? 'en' : 'en-XA'

/** The one tab of a person in this worker: a page that is loaded in it finds warm what every page needs. */
type Tabs = (person: Person) => Promise<Page>

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
        return context.newPage()
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
    // nothing of the page before is under the pointer
    await page.mouse.move(0, 0)
    const requests = new Set<Request>()
    page.on('request', (request) => requests.add(request))
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => requests.delete(request))
    underWay.set(page, requests)
    await use(page)
    if (page.url() !== 'about:blank') await page.evaluate(() => sessionStorage.clear())
    await page.unrouteAll()
    for (const event of [
      'request',
      'requestfinished',
      'requestfailed',
      'response',
      'websocket',
      'console',
      'pageerror',
    ])
      page.removeAllListeners(event)
  },
})

/** What each page asks for and has no answer to yet. */
const underWay = new WeakMap<Page, Set<Request>>()

/** Nothing is on its way and nothing is left to do, twice in a row: `networkidle` would be half a second later. */
async function isQuiet(page: Page) {
  const requests = underWay.get(page)!
  let calm = 0
  const look = async () => {
    await page.evaluate(() => new Promise<void>((idle) => requestIdleCallback(() => idle(), { timeout: 1000 })))
    return (calm = requests.size === 0 ? calm + 1 : 0)
  }
  await expect.poll(look, { intervals: [80] }).toBeGreaterThan(1)
}

const narrow = { width: 360, height: 720 }

/** The page is there: loaded, headed, titled, and nothing turns any more. */
async function isShown(page: Page, { isBlank, hasScreen, opens }: SweptPage) {
  if (!isBlank) await expect(page.getByRole('heading').first()).toBeVisible()
  await isQuiet(page)
  if (opens) {
    await opens(page)
    await isQuiet(page)
  }
  await expect(page.locator('[role=progressbar]:not([aria-valuenow])')).toHaveCount(0)
  if (hasScreen) await fitsItsPlace(page)
}

/** The screen of a machine is there, and all of it is seen. */
const fitsItsPlace = (page: Page) =>
  expect
    .poll(() =>
      page.locator('canvas').evaluate(({ parentElement: place }) => {
        const { scrollHeight, clientHeight, scrollWidth, clientWidth } = place!
        return scrollHeight <= clientHeight && scrollWidth <= clientWidth
      }),
    )
    .toBe(true)

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

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']
const unaccented = new Map(letters.map((letter) => [(pseudo(letter) as string)[1]!, letter]))

/** The English text that stands in the catalogue for one of the pseudo-language. */
const english = (text: string) =>
  text.replace(/^\[| ~+\]/g, '').replace(/./gu, (letter) => unaccented.get(letter) ?? letter)

/** Notes the name of what has the focus, from now on, in the page itself: to ask for it after each key takes longer than the key. */
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

/** Tab leads to what one comes for, once round the page; a page that comes in while one presses gets a second round. */
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

test('every page of the console is swept, and nothing else', () => {
  expect(specialPaths.filter((path) => !(path in sweptPages))).toEqual([])
  // parts of an address that only the page itself gives a meaning to
  expect(Object.values(sweptPages).filter(({ at }) => /[${]|:undefined/.test(at))).toEqual([])
  expect([...sweptNarrowToo].filter((path) => !(path in sweptPages))).toEqual([])
})

const personOf = ({ isForStrangers, isForOperators, isForDomain }: SweptPage): Person => {
  if (isForStrangers) return 'nobody'
  if (isForDomain) return 'domain-admin'
  return isForOperators ? 'operator' : 'tenant'
}

const address = ({ at }: SweptPage, ids: Ids) => at.replace(/:(\w+)/g, (_, kind: string) => ids[kind]!)

/** All that the server says from now on: what it answers, and what it tells of its own accord, such as an alert. */
function hear(page: Page): () => Promise<string> {
  const said: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/')) said.push(response.text().catch(() => ''))
  })
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => said.push(Promise.resolve(payload.toString())))
  })
  // a line break of JSON is no letter of the word that follows it
  return async () => (await Promise.all(said)).join(' ').replaceAll('\\n', ' ')
}

test.describe('sweep', () => {
  test.describe.configure({ mode: 'parallel' })
  for (const [path, swept] of Object.entries({ ...sweptPages, ...sweptOverlays })) {
    test.describe(path, () => {
      if (swept.waitsForServer) test.beforeEach(({ page }) => page.route('**/api/v2/panel', (route) => route.abort()))
      test.use({ as: personOf(swept) })

      const isForTelephones = sweptNarrowToo.has(path)
      test(`${path} is clean for axe${isForTelephones ? ', wide and narrow' : ''}, has a heading and a title, Tab reaches what one comes for, no text of its own is not translated, and nothing sticks out at 360 px, from left to right and from right to left`, async ({
        page,
        ids,
        expectAccessible,
        keepPictures,
      }) => {
        const heard = hear(page)
        await page.goto(address(swept, ids))
        await isShown(page, swept)
        await expect(page).toHaveTitle(/\S - \S/)
        if (language === 'en-XA') expect(await foreignWords(page, `${await heard()} ${objectStorageData}`)).toEqual([])
        if (swept.action !== null && !swept.isBlank) await reachByTab(page, swept.action)
        // the tip of the button in focus stands outside every landmark, as all tips do
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
        if (!swept.isBlank) await expectAccessible()
        await page.setViewportSize(narrow)
        await expect.poll(() => sticksOut(page)).toEqual([])
        if (swept.hasScreen) await fitsItsPlace(page)
        if (isForTelephones) await expectAccessible()
        else await keepPictures()
        // nothing but styles depends on the direction
        await page.evaluate(() => (document.documentElement.dir = 'rtl'))
        await expect.poll(() => sticksOut(page)).toEqual([])
        if (swept.hasScreen) {
          await page.setViewportSize(wide)
          await fitsItsPlace(page)
        }
        await keepPictures()
      })
    })
  }
})
