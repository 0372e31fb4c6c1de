import { expect, type Page } from '@playwright/test'
import { markRows } from '../support/rows'
import { test } from '../support/test'
import { openInstances } from './open-instances'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('lists each virtual machine with a readable status, and passes axe [RT-050]', async ({
  page,
  expectAccessible,
}) => {
  await expect(page).toHaveURL(/\/compute\/instances$/)
  await expect(row(page, 'web-1')).toContainText('Active')
  await expect(row(page, 'web-1')).toContainText('10.20.0.10')
  await expect(row(page, 'old-erp')).toContainText('Error')
  await expectAccessible()
})

test('turns a status entered in search into a filter that survives a reload', { tag: '@all' }, async ({ page }) => {
  await page.getByRole('combobox', { name: /^Search/ }).fill('status:error ')
  await expect(row(page, 'web-1')).toBeHidden()
  await expect(row(page, 'old-erp')).toBeVisible()
  await page.reload()
  await expect(row(page, 'old-erp')).toBeVisible()
  await expect(row(page, 'web-1')).toBeHidden()
})

test('starts a virtual machine from its row and updates the row automatically', { tag: '@all' }, async ({ page }) => {
  await row(page, 'mail').hover()
  await row(page, 'mail').getByRole('button', { name: 'Start' }).click()
  await expect(row(page, 'mail')).toContainText('Active', { timeout: 30_000 })
})

test('groups unavailable actions in the menu and shows why each is unavailable', { tag: '@all' }, async ({ page }) => {
  await row(page, 'build-runner').getByRole('button', { name: 'Actions for build-runner' }).click()
  const reboot = page.getByRole('menuitem', { name: /^Reboot/ })
  const fold = page.getByRole('menuitem', { name: /^Unavailable actions/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await expect(reboot).toHaveCount(0)
  expect(await page.getByRole('menuitem').count()).toBeLessThanOrEqual(10)
  await fold.click()
  await expect(reboot).toHaveAttribute('aria-disabled', 'true')
  await expect(reboot).toContainText('The virtual machine must be active')
})

test(
  'a bulk action skips virtual machines that do not allow it, and shows how many it skips',
  { tag: '@all' },
  async ({ page }) => {
    await markRows(page, 'web-1', 'web-2', 'build-runner')
    await page.getByRole('toolbar').getByRole('button', { name: 'Suspend' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog).toContainText('Suspend 2 virtual machines?')
    await expect(dialog).toContainText('1 object is skipped')
    await dialog.getByRole('button', { name: 'Suspend 2 virtual machines' }).click()
    for (const name of ['web-1', 'web-2']) await expect(row(page, name)).toContainText('Suspended', { timeout: 30_000 })
    for (const name of ['web-1', 'web-2']) {
      await row(page, name).hover()
      await row(page, name).getByRole('button', { name: 'Resume' }).click()
      await expect(row(page, name)).toContainText('Active', { timeout: 30_000 })
    }
  },
)

test('asks for confirmation before powering off', { tag: '@all' }, async ({ page }) => {
  await row(page, 'registry').getByRole('button', { name: 'Actions for registry' }).click()
  await page.getByRole('menuitem', { name: 'Power', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Power off' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Power off “registry”?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Power off' }).click()
  await expect(row(page, 'registry')).toContainText('Shut down', { timeout: 30_000 })
})

test(
  'groups rows, collapses groups with the keyboard, and restores the grouping from the URL',
  { tag: '@all' },
  async ({ page }) => {
    await page.getByRole('button', { name: 'Group rows' }).click()
    await page.getByRole('menuitemradio', { name: 'Operating system' }).click()
    await expect(page).toHaveURL(/groupBy=os_distro/)
    await page.reload()
    const first = page.getByRole('grid').getByRole('button', { expanded: true }).first()
    await expect(row(page, 'web-1')).toBeVisible()
    // this button loads last
    await expect(page.getByRole('button', { name: 'Notifications' })).toBeVisible()
    await first.focus()
    await page.keyboard.press('ArrowDown')
    const under = page.locator('[data-row]:focus')
    await expect(under).toHaveAttribute('aria-selected', 'false')
    const name = (await under.getAttribute('aria-label'))!
    await page.keyboard.press('ArrowUp')
    await expect(first).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(row(page, name)).toHaveCount(0)
    await expect(page.locator('[data-row]:focus')).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Space')
    await expect(row(page, name)).toBeVisible()
  },
)

test('on a phone, shows rows as two-line cards with the same menu and selection, without horizontal scrolling', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const card = row(page, 'web-1')
  await card.scrollIntoViewIfNeeded()
  await expect.poll(async () => (await card.boundingBox())?.height).toBe(60)
  for (const text of ['web-1', 'Active', '10.20.0.10', 'CPU', 'Memory'])
    await expect(card.getByText(text, { exact: true }).or(card.locator(`[data-label="${text}"]`))).toBeInViewport()
  const isWide = page.getByRole('grid').evaluate(({ parentElement: box }) => box!.scrollWidth > box!.clientWidth)
  expect(await isWide).toBe(false)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await markRows(page, 'web-1')
  // measured from the heading, because a message above the page may appear later
  const heading = page.getByRole('heading', { level: 1 })
  const top = async () => (await card.boundingBox())!.y - (await heading.boundingBox())!.y
  const before = await top()
  await page.getByRole('toolbar').getByRole('button', { name: 'Clear selection' }).click()
  // the toolbar has the same height with and without a selection
  expect(await top()).toBe(before)
  await card.getByRole('button', { name: 'Actions for web-1' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
})

const tabs = [
  { tab: 'Console log', part: 'log', shows: 'login:' },
  { tab: 'Events', part: 'events', shows: 'All events' },
  { tab: 'Volumes', part: 'volumes', shows: 'Boot volume' },
  { tab: 'Network', part: 'network', shows: '10.20.0.12' },
] as const

test('each details tab has its own URL, and closing the details returns to the list [RT-058]', async ({ page }) => {
  await row(page, 'database').getByRole('link').click()
  const drawer = page.getByRole('dialog', { name: 'database' })
  await expect(drawer.getByRole('button', { name: 'Open console' })).toBeVisible()
  await expect(drawer).toContainText('CPU usage')
  for (const { tab, part, shows } of tabs) {
    await drawer.getByRole('tab', { name: tab }).click()
    await expect(page).toHaveURL(new RegExp(`/${part}$`))
    await expect(drawer).toContainText(shows)
  }
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/compute\/instances$/)
})

// the sweep covers the overview and volumes tabs
test(
  'the log, events and network tabs in the details pass axe',
  { tag: '@all' },
  async ({ page, expectAccessible }) => {
    const id = await row(page, 'database').getAttribute('data-row')
    for (const { part, shows } of tabs.filter(({ tab }) => tab !== 'Volumes')) {
      await page.goto(`/compute/instances/${id}/${part}`)
      await expect(page.getByRole('dialog', { name: 'database' })).toContainText(shows)
      await expectAccessible()
    }
  },
)

test("shows a virtual machine's fault message exactly as the server sent it [ER-027]", async ({ page }) => {
  await row(page, 'old-erp').getByRole('link').click()
  const fault = page.getByRole('alert')
  await expect(fault).toContainText('This virtual machine failed')
  await expect(fault).toContainText('Try a hard reboot to start the virtual machine again.')
  const message = await page.evaluate(async () => {
    const id = location.pathname.split('/').at(-1)
    const token = localStorage.getItem('scopedToken') ?? ''
    const answer = await fetch(`/api/v2/compute/servers/${id}`, { headers: { 'x-auth-token': token } })
    return ((await answer.json()) as { fault: { message: string } }).fault.message
  })
  await expect(fault).toContainText(message)
})

test('renames a virtual machine in its details, and updates the row', { tag: '@all' }, async ({ page }) => {
  await row(page, 'windows-desktop').getByRole('link').click()
  await page.getByRole('link', { name: 'Edit Name' }).click()
  await expect(page).toHaveURL(/\/edit\/name$/)
  const form = page.getByRole('dialog', { name: 'Rename “windows-desktop”' })
  await form.getByLabel('Name').fill('reports')
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('dialog', { name: 'reports', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, 'reports')).toBeVisible()
})

test('resizes a virtual machine that is shut down', { tag: '@all' }, async ({ page }) => {
  await row(page, 'build-runner').getByRole('button', { name: 'Actions for build-runner' }).click()
  await page.getByRole('menuitem', { name: 'Resize' }).click()
  const form = page.getByRole('dialog', { name: 'Resize “build-runner”' })
  await form.getByRole('radio', { name: 's1.small' }).check()
  await form.getByRole('button', { name: 'Resize virtual machine' }).click()
  await expect(form).toBeHidden()
  await page.getByRole('dialog', { name: 'build-runner', exact: true }).press('Escape')
  await expect(row(page, 'build-runner')).toContainText('1 vCPU', { timeout: 30_000 })
})

test('the delete dialog lists volumes and preselects those it will delete', { tag: '@all' }, async ({ page }) => {
  await row(page, 'vpn').getByRole('button', { name: 'Actions for vpn' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete virtual machine “vpn”?' })
  await expect(dialog.getByRole('checkbox', { name: /^vpn-boot/ })).toBeChecked()
  await expect(dialog).toContainText('No volumes are kept.')
  await expect(dialog).toContainText('This IP address is released. It is assigned again on restore')
  await dialog.getByText('Skip the recycle bin and delete permanently').click()
  await expect(dialog).toContainText(/The data on the selected volume \(\d+.GiB\) is permanently lost\./)
  await expect(dialog).toContainText(/This IP address is released:/)
  await dialog.getByRole('button', { name: 'Delete virtual machine' }).click()
  await expect(row(page, 'vpn')).toBeHidden({ timeout: 30_000 })
})
