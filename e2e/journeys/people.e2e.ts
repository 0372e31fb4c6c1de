import { expect as expectSoon, type Browser, type Locator, type Page } from '@playwright/test'
import { CLIENT } from '../../server/src/testing/outside/openid-provider'
import { test } from '../support/company'
import { adminPassword } from '../support/server'

/* How a tenant comes to be: an operator, a domain administrator and two members, each in a browser of their own. */

const expect = expectSoon.configure({ timeout: 20_000 })
const handedOver = 'Handed over 12!'
const adasPassword = 'Only Ada knows 1!'
const bosPassword = 'Only Bo knows 12!'

async function arrive(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } })
  context.setDefaultTimeout(20_000)
  return context.newPage()
}

async function signIn(page: Page, place: string, name: string, password: string): Promise<void> {
  await page.goto(place)
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('User name')).toBeHidden()
}

/** Fills in the form behind a button of a list, and sends it. */
async function add(page: Page, what: string, fill: (form: Locator) => Promise<void>): Promise<void> {
  await page.getByRole('link', { name: what }).first().click()
  const form = page.getByRole('dialog', { name: what })
  await fill(form)
  await form.getByRole('button', { name: what }).click()
  await expect(form).toBeHidden()
}

async function choosePassword(page: Page, password: string): Promise<void> {
  for (const field of ['New password', 'New password again'])
    await page.getByLabel(field, { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Choose password and sign in' }).click()
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('a domain gets its administrator, she a project with a limit and members; one works until the limit and hears at once that the project is disabled', async ({
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

  await test.step('an operator makes a domain with its administrator', async () => {
    await signIn(operator, '/login', 'admin', adminPassword)
    await operator.goto('/domains')
    await add(operator, 'Add domain', async (form) => {
      await form.getByLabel('Name').fill('Observatory')
      await form.getByLabel('Login').fill('ada')
      await form.getByLabel('Password', { exact: true }).fill(handedOver)
    })
    await expect(rowOf(operator, 'Observatory')).toBeVisible()
  })

  await test.step('she replaces the password that was typed for her, and is where she administers', async () => {
    await signIn(ada, '/login/Observatory', 'ada', handedOver)
    await choosePassword(ada, adasPassword)
    await expect(ada.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  })

  await test.step('she makes a project with one virtual machine at most', async () => {
    await ada.goto('/projects')
    await add(ada, 'Add project', (form) => form.getByLabel('Name').fill('Telescope'))
    await rowOf(ada, 'Telescope').getByRole('link', { name: 'Telescope' }).click()
    await ada.getByRole('tab', { name: 'Quotas' }).click()
    await ada.getByRole('link', { name: 'Set quotas' }).click()
    const limit = ada.getByRole('group', { name: 'Virtual machines' })
    if (await limit.getByRole('checkbox').isChecked()) await limit.getByText('No limit').click()
    await limit.getByRole('textbox').fill('1')
    const form = ada.getByRole('dialog', { name: 'Set quotas of “Telescope”' })
    await form.getByRole('button', { name: 'Set quotas' }).click()
    await expect(form).toBeHidden()
  })

  await test.step('she invites a member by a link', async () => {
    await ada.goto('/users')
    await ada.getByRole('link', { name: 'Add user' }).click()
    const form = ada.getByRole('dialog', { name: 'Add user' })
    await form.getByLabel('Login').fill('bo_the_member')
    await form.getByRole('row').filter({ hasText: 'Telescope' }).locator('input').check()
    await form.getByRole('button', { name: 'Add user' }).click()
    await ada.getByRole('button', { name: 'Make link' }).click()
    const shown = ada.getByRole('dialog').getByText('/password-link#')
    link = await shown.innerText()
    await ada.getByRole('button', { name: 'Done' }).click()
  })

  await test.step('the member chooses a password that nobody else knows, and is in the project', async () => {
    await bo.goto(link)
    await choosePassword(bo, bosPassword)
    await expect(bo.getByRole('button', { name: 'Project: Telescope' })).toBeVisible()
  })

  await test.step('he makes a virtual machine; the second one is over the limit, which says its numbers', async () => {
    for (const name of ['first', 'second']) {
      await bo.goto('/compute/instances/add')
      await bo.getByLabel('Name').fill(name)
      for (const [step, chosen] of [
        ['Choose: Boot from', 'Debian 13'],
        ['Change: Flavor', 's1.medium'],
      ] as const) {
        await bo.getByRole('link', { name: step }).click()
        await bo.getByRole('radio', { name: chosen }).check()
        await bo.getByRole('button', { name: 'Done' }).click()
      }
      if (name === 'second') break
      await bo.getByRole('button', { name: 'Deploy virtual machine' }).click()
      await expect(rowOf(bo, name).getByText('Active')).toBeVisible()
    }
    await expect(bo.getByLabel('Cost against the quotas')).toContainText('over the limit')
    await expect(bo.getByRole('button', { name: 'Deploy virtual machine' })).toHaveAccessibleDescription(
      /^Over the quota: Virtual machines/,
    )
  })

  await test.step('somebody of the company signs in with the account of the company', async () => {
    company.accounts['grace'] = { preferred_username: 'grace@company.example', groups: ['astronomers'] }
    await ada.goto('/identity-providers')
    await add(ada, 'Add identity provider', async (form) => {
      company.open([await form.getByText(`${server.url}/auth/landing/openid/`).innerText()])
      await form.getByLabel('Name', { exact: true }).fill('The company')
      await form.getByLabel('Issuer').fill(company.issuer)
      await form.getByLabel('Client id').fill(CLIENT.client_id)
      await form.getByLabel('Client secret').fill(CLIENT.client_secret)
      await form.getByRole('button', { name: 'Add rule' }).click()
      await form.getByLabel('Name of the rule').fill('Staff')
      await form.getByLabel('Groups at the provider').fill('astronomers')
      // a list closes when what is around it scrolls
      await form.getByRole('button', { name: 'Remove rule' }).scrollIntoViewIfNeeded()
      await form.getByRole('combobox', { name: 'Gives' }).click()
      await ada.getByRole('option', { name: /^Telescope: .*member$/i }).click()
    })
    await grace.goto('/login/Observatory')
    await grace.getByRole('button', { name: 'Sign in with The company' }).click()
    await grace.getByRole('button', { name: 'grace' }).click()
    await expect(grace.getByRole('button', { name: 'Project: Telescope' })).toBeVisible()
    await grace.goto('/compute/instances')
    await expect(rowOf(grace, 'first')).toBeVisible()
  })

  await test.step('the project is disabled, and the open pages of its members say so', async () => {
    await bo.goto('/compute/instances')
    await expect(rowOf(bo, 'first')).toBeVisible()
    await ada.goto('/projects')
    await rowOf(ada, 'Telescope')
      .getByRole('button', { name: /Actions/ })
      .click()
    await ada.getByRole('menuitem', { name: 'Disable' }).click()
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
    for (const page of [bo, grace]) await expect(page.getByRole('heading', { name: 'Access disabled' })).toBeVisible()
  })
})
