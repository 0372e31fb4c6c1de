import { expect as expectSoon, type Browser, type Locator, type Page } from '@playwright/test'
import { CLIENT } from '../../server/src/testing/outside/openid-provider'
import { test } from '../support/company'
import { choose, chooseIn, enter, press, refuseMouse, tick } from '../support/keyboard'
import { adminPassword } from '../support/server'

/*
 * An operator, a domain administrator and two members set up a tenant, each in a separate browser with a narrow window,
 * using only the keyboard.
 */

test.use({ viewport: { width: 360, height: 800 } })
const expect = expectSoon.configure({ timeout: 20_000 })
const handedOver = 'Handed over 12!'
const adasPassword = 'Only Ada knows 1!'
const bosPassword = 'Only Bo knows 12!'

async function arrive(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } })
  context.setDefaultTimeout(20_000)
  await refuseMouse(context)
  return context.newPage()
}

async function signIn(page: Page, place: string, name: string, password: string): Promise<void> {
  await page.goto(place)
  await enter(page.getByLabel('Username'), name)
  await enter(page.getByLabel('Password', { exact: true }), password)
  await press(page.getByRole('button', { name: 'Sign in', exact: true }))
  await expect(page.getByLabel('Username')).toBeHidden()
}

/** Opens a form from its link in a list, fills it in and submits it. */
async function add(page: Page, what: string, fill: (form: Locator) => Promise<void>): Promise<void> {
  await press(page.getByRole('link', { name: what }).first())
  const form = page.getByRole('dialog', { name: what })
  await fill(form)
  await press(form.getByRole('button', { name: what }))
  await expect(form).toBeHidden()
}

async function choosePassword(page: Page, password: string): Promise<void> {
  for (const field of ['New password', 'Repeat new password'])
    await enter(page.getByLabel(field, { exact: true }), password)
  await press(page.getByRole('button', { name: 'Choose password and sign in' }))
}

interface Watching extends Window {
  shownAt?: Promise<number>
}
/** Makes the page record the time when a heading appears, in milliseconds since 1970. */
const noteWhenShown = (page: Page, heading: string): Promise<void> =>
  page.evaluate((text) => {
    const isThere = () => [...document.querySelectorAll('h1')].some((it) => it.textContent === text)
    ;(window as Watching).shownAt = new Promise((resolve) => {
      new MutationObserver((_, watch) => {
        if (!isThere()) return
        watch.disconnect()
        resolve(Date.now())
      }).observe(document, { childList: true, subtree: true, characterData: true })
    })
  }, heading)
const shownAt = (page: Page): Promise<number> => page.evaluate(() => (window as Watching).shownAt ?? Number.NaN)

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('sets up a domain and a project with a quota and members, and disables the project', async ({
  browser,
  server,
  company,
}) => {
  test.setTimeout(6 * 60_000)
  const operator = await arrive(browser, server.adminUrl)
  const ada = await arrive(browser, server.url)
  const bo = await arrive(browser, server.url)
  const grace = await arrive(browser, server.url)
  let link = ''

  await test.step('an operator creates a domain and its administrator', async () => {
    await signIn(operator, '/login', 'admin', adminPassword)
    await operator.goto('/domains')
    await add(operator, 'Create domain', async (form) => {
      await enter(form.getByLabel('Name', { exact: true }), 'Observatory')
      await enter(form.getByLabel('Username'), 'ada')
      await enter(form.getByLabel('Password', { exact: true }), handedOver)
    })
    await expect(rowOf(operator, 'Observatory')).toBeVisible()
  })

  await test.step("the administrator replaces the initial password and is taken to the domain's users", async () => {
    await signIn(ada, '/login/Observatory', 'ada', handedOver)
    await choosePassword(ada, adasPassword)
    await expect(ada.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  })

  await test.step('the administrator creates a project with a quota of one virtual machine', async () => {
    await ada.goto('/projects')
    await add(ada, 'Create project', (form) => enter(form.getByLabel('Name'), 'Telescope'))
    await press(rowOf(ada, 'Telescope').getByRole('link', { name: 'Telescope' }))
    await press(ada.getByRole('tab', { name: 'Quotas' }))
    await press(ada.getByRole('link', { name: 'Set quotas' }))
    const limit = ada.getByRole('group', { name: 'Virtual machines' })
    await tick(limit.getByRole('checkbox'), false)
    await enter(limit.getByRole('textbox'), '1')
    const form = ada.getByRole('dialog', { name: 'Set quotas for “Telescope”' })
    await press(form.getByRole('button', { name: 'Set quotas' }))
    await expect(form).toBeHidden()
  })

  await test.step('the administrator invites a member with a link', async () => {
    await ada.goto('/users')
    await press(ada.getByRole('link', { name: 'Create user' }))
    const form = ada.getByRole('dialog', { name: 'Create user' })
    await enter(form.getByLabel('Username'), 'bo_the_member')
    await tick(form.getByRole('row').filter({ hasText: 'Telescope' }).locator('input'))
    await press(form.getByRole('button', { name: 'Create user' }))
    await press(ada.getByRole('button', { name: 'Create link' }))
    const shown = ada.getByRole('dialog').getByText('/password-link#')
    link = await shown.innerText()
    await press(ada.getByRole('button', { name: 'Done' }))
  })

  await test.step('the member chooses a password and is taken to the project', async () => {
    await bo.goto(link)
    await choosePassword(bo, bosPassword)
    await expect(bo.getByRole('button', { name: 'Project: Telescope' })).toBeVisible()
  })

  await test.step('the member adds a passkey, signs out, and signs in with only the passkey', async () => {
    const browserOfBo = await bo.context().newCDPSession(bo)
    await browserOfBo.send('WebAuthn.enable')
    await browserOfBo.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      },
    })
    await bo.goto('/account')
    await press(bo.getByRole('button', { name: 'Add passkey' }))
    const form = bo.getByRole('dialog', { name: 'Add passkey' })
    await enter(form.getByLabel('Name', { exact: true }), 'telephone')
    await enter(form.getByLabel('Current password', { exact: true }), bosPassword)
    await press(form.getByRole('button', { name: 'Add passkey' }))
    await expect(form).toBeHidden()
    await expect(bo.getByRole('region', { name: 'Passkeys' }).getByText('telephone')).toBeVisible()
    await press(bo.getByRole('button', { name: 'Account menu: bo_the_member' }))
    await choose(bo, 'Sign out')
    await press(bo.getByRole('button', { name: 'Sign in with a passkey' }))
    await expect(bo.getByRole('button', { name: 'Project: Telescope' })).toBeVisible()
  })

  await test.step('the member creates a virtual machine, and is told that a second one would exceed the quota', async () => {
    for (const name of ['first', 'second']) {
      await bo.goto('/compute/instances/add')
      await enter(bo.getByLabel('Name'), name)
      for (const [step, chosen] of [
        ['Choose: Boot from', 'Debian 13'],
        ['Change: Flavor', 's1.medium'],
      ] as const) {
        await press(bo.getByRole('link', { name: step }))
        await tick(bo.getByRole('radio', { name: chosen }))
        await press(bo.getByRole('button', { name: 'Done' }))
      }
      if (name === 'second') break
      await press(bo.getByRole('button', { name: 'Create virtual machine' }))
      await expect(rowOf(bo, name).getByText('Active')).toBeVisible()
    }
    await expect(bo.getByLabel('Quota usage')).toContainText('over the limit')
    await expect(bo.getByRole('button', { name: 'Create virtual machine' })).toHaveAccessibleDescription(
      /^Quota exceeded: Virtual machines/,
    )
  })

  await test.step("an employee signs in through the company's identity provider", async () => {
    company.accounts['grace'] = { preferred_username: 'grace@company.example', groups: ['astronomers'] }
    await ada.goto('/identity-providers')
    await add(ada, 'Add identity provider', async (form) => {
      company.open([await form.getByText(`${server.url}/auth/landing/openid/`).innerText()])
      await enter(form.getByLabel('Name', { exact: true }), 'The company')
      await enter(form.getByLabel('Issuer'), company.issuer)
      await enter(form.getByLabel('Client ID'), CLIENT.client_id)
      await enter(form.getByLabel('Client secret'), CLIENT.client_secret)
      await press(form.getByRole('button', { name: 'Add rule' }))
      await enter(form.getByLabel('Rule name'), 'Staff')
      await enter(form.getByLabel('Provider groups'), 'astronomers')
      await chooseIn(form.getByRole('combobox', { name: 'Grants' }), /^Telescope: .*member$/i)
    })
    await grace.goto('/login/Observatory')
    await press(grace.getByRole('button', { name: 'Sign in with The company' }))
    await press(grace.getByRole('button', { name: 'grace' }))
    await expect(grace.getByRole('button', { name: 'Project: Telescope' })).toBeVisible()
    await grace.goto('/compute/instances')
    await expect(rowOf(grace, 'first')).toBeVisible()
  })

  await test.step('the administrator disables the project, and its members see this on their open pages', async () => {
    await bo.goto('/compute/instances')
    await expect(rowOf(bo, 'first')).toBeVisible()
    await ada.goto('/projects')
    await press(rowOf(ada, 'Telescope').getByRole('button', { name: /Actions/ }))
    await choose(ada, 'Disable')
    const pages = { Bo: bo, Grace: grace }
    for (const page of Object.values(pages)) await noteWhenShown(page, 'Access disabled')
    const answer = ada.waitForResponse(
      (it) => it.request().method() === 'PATCH' && /\/projects\/[^/]+$/.test(new URL(it.url()).pathname),
    )
    await press(ada.getByRole('alertdialog').getByRole('button', { name: 'Disable' }))
    const { startTime, responseStart } = (await answer).request().timing()
    for (const [name, page] of Object.entries(pages)) {
      await expect(page.getByRole('heading', { name: 'Access disabled' })).toBeVisible()
      const ms = (await shownAt(page)) - (startTime + responseStart)
      process.stdout.write(`${name}'s page says that the project is disabled ${ms.toFixed(0)} ms after the answer\n`)
      // takes less than a second on an idle machine
      expect(ms).toBeLessThan(5000)
    }
  })
})
