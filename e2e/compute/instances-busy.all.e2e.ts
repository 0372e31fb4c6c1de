import process from 'node:process'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { expect, type Page } from '@playwright/test'
import { markRows } from '../support/rows'
import { test } from '../support/test'
import { openInstances } from './open-instances'

test.use({ as: 'tenant' })

/**
 * Total number of changes, made in three batches. For a minute at 100 changes per second, set
 * `MAINSTAY_BUSY_CHANGES=6000`.
 */
const changesInAll = Number(process.env['MAINSTAY_BUSY_CHANGES'] ?? 450)

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

/** Sends requests as another tab of the same user would. */
async function otherTab(page: Page) {
  const token = (await page.evaluate(() => localStorage.getItem('scopedToken')))!
  const headers = { 'x-auth-token': token, 'x-requested-with': 'test' }
  const list = async () => {
    const answer = await page.request.get(instances.list.path, { headers })
    return (await answer.json()) as { data: Instance[]; revision: number }
  }
  const busy = (await list()).data.filter(({ name, status }) => status === 'ACTIVE' && !/^(web-1|database)$/.test(name))
  expect(busy.length).toBeGreaterThan(1)
  async function pauseAndResume({ id }: Instance) {
    for (const action of [instances.pause, instances.unpause]) {
      const path = fillPath(action.path, { id })
      await expect(async () => {
        expect((await page.request.post(path, { headers, data: {} })).ok()).toBe(true)
      }).toPass()
    }
  }
  return {
    list,
    /** Pauses and resumes virtual machines until the revision has grown by `atLeast`. */
    async change(atLeast: number) {
      const end = (await list()).revision + atLeast
      while ((await list()).revision < end) await Promise.all(busy.map(pauseAndResume))
    },
  }
}

test('a flood of changes does not disturb an open menu, a partly completed form or the selection', async ({ page }) => {
  test.setTimeout(180_000 + changesInAll * 60)
  await openInstances(page)
  const other = await otherTab(page)
  await markRows(page, 'web-1', 'database')

  await row(page, 'database').getByRole('button', { name: 'Actions for database' }).click()
  const menu = page.getByRole('menu')
  await expect(menu).toBeVisible()
  await menu.evaluate((element) => element.setAttribute('data-same', 'yes'))
  await page.keyboard.press('ArrowDown')
  const chosen = await page.evaluate(() => document.activeElement!.textContent)
  await other.change(changesInAll / 3)
  await expect(page.locator('[role=menu][data-same=yes]')).toBeVisible()
  expect(await page.evaluate(() => document.activeElement!.textContent)).toBe(chosen)
  await page.keyboard.press('Escape')

  await row(page, 'web-1').getByRole('link').click()
  await page.getByRole('link', { name: 'Edit Metadata' }).click()
  const form = page.getByRole('dialog', { name: 'Edit metadata for “web-1”' })
  await form.getByRole('button', { name: 'Add entry' }).click()
  await form.getByLabel('Name').fill('half')
  await other.change(changesInAll / 3)
  await page.keyboard.type(' typed')
  await expect(form.getByLabel('Name')).toHaveValue('half typed')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.keyboard.press('Escape')

  await other.change(changesInAll / 3)
  await expect(page.getByRole('toolbar')).toContainText('2 selected')
  for (const { name, status } of (await other.list()).data)
    await expect(row(page, name)).toContainText(status === 'ACTIVE' ? 'Active' : name)
})
