import { expect, type Page } from '@playwright/test'
import { lab } from '../../server/src/testing/lab'
import { startServer } from '../support/server'
import { test as base } from '../support/test'

const { nodes, address, power, shell } = lab()
const names = nodes.map(({ name }) => name)
const lost = names.at(-1)!
/** Time within which every page must show that a host was lost or has returned. */
const promised = { timeout: 150_000 }

/** Starts a server that the nodes of the lab can reach. */
const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright requires a destructuring pattern
    async ({}, use) => {
      const environment = { MAINSTAY_HOST: address, MAINSTAY_TLS: 'self-signed', MAINSTAY_WORLD: 'empty' }
      const server = await startServer(environment)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
})
test.use({ as: 'operator' })
// restore the lab for the specs and journeys that run next
test.afterAll(() => power('start', lost))

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const place = (page: Page, name: string, level: string) =>
  page.getByRole('row', { name: new RegExp(`${name} ${level}`) })

/** Chooses an action from the menu of a location and fills in the form that opens. */
async function act(page: Page, [name, level]: [string, string], action: string, fill: (page: Page) => Promise<void>) {
  await place(page, name, level)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
  await fill(page)
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
}

test('an operator registers three hosts; all pages show that one fails and returns automatically', async ({ page }) => {
  test.setTimeout(600_000)
  await test.step('each host is registered by the command that the console shows', async () => {
    await page.goto('/nodes/add')
    for (const name of names) {
      await page.getByRole('button', { name: 'Create command' }).click()
      const shown = page.getByRole('region', { name: 'Registration command' })
      await expect(shown).toContainText('| sudo sh -s --')
      await shell(name, (await shown.textContent())!)
      await expect(page.getByRole('link', { name: `Show node “${name}”` })).toBeVisible({ timeout: 60_000 })
    }
    await page.goto('/nodes')
    for (const name of names) await expect(rowOf(page, name)).toContainText('Unassigned')
  })

  await test.step('each stands in a rack of its own', async () => {
    await page.goto('/infrastructure/locations')
    await act(page, ['Default', 'row'], 'Add racks', () =>
      page.getByLabel('Names').fill(names.map((name) => `Rack ${name}`).join('\n')),
    )
    for (const name of names) {
      await act(page, [`Rack ${name}`, 'rack'], 'Assign nodes', () =>
        page
          .getByRole('dialog')
          .getByRole('checkbox', { name: new RegExp(`^${name}\\b`) })
          .check({ force: true }),
      )
      await expect(place(page, `Rack ${name}`, 'rack')).toContainText('1 of 1 online')
    }
  })

  await test.step('one fails: list, tree, page and overview show it', async () => {
    await page.goto('/nodes')
    await expect(rowOf(page, lost)).toContainText('Unassigned')
    await power('kill', lost)
    const began = Date.now()
    await expect(rowOf(page, lost)).toContainText('Offline', promised)
    for (const name of names.slice(0, -1)) await expect(rowOf(page, name)).toContainText('Unassigned')
    await page.goto('/infrastructure/locations')
    await expect(place(page, `Rack ${lost}`, 'rack')).toContainText('0 of 1 online')
    await page.goto('/monitoring')
    await expect(page.getByRole('link', { name: new RegExp(`\\b${lost}\\b`) })).toBeVisible(promised)
    expect(Date.now() - began).toBeLessThan(promised.timeout)
    await page.goto('/nodes')
    await rowOf(page, lost).getByRole('link', { name: lost, exact: true }).click()
    await expect(page.getByText(`${lost} has not responded since`)).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Impact of a failure' })).toBeVisible()
  })

  await test.step('it returns: everything is good again without any action', async () => {
    await page.goto('/monitoring')
    await power('start', lost)
    const began = Date.now()
    await expect(page.getByRole('link', { name: new RegExp(`\\b${lost}\\b`) })).toBeHidden(promised)
    await page.goto('/nodes')
    await expect(rowOf(page, lost)).toContainText('Unassigned')
    await page.goto('/infrastructure/locations')
    await expect(place(page, `Rack ${lost}`, 'rack')).toContainText('1 of 1 online')
    expect(Date.now() - began).toBeLessThan(promised.timeout)
  })
})
