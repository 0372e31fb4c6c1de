import { expect, type Page } from '@playwright/test'
import { markRows } from '../support/rows'
import { test } from '../support/test'
import { openInstances } from './open-instances'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

test.use({ as: 'tenant' })
test.beforeEach(({ page }) => openInstances(page))

test('the list shows each virtual machine with its status in words, and passes axe [RT-050]', async ({
  page,
  expectAccessible,
}) => {
  await expect(page).toHaveURL(/\/compute\/instances$/)
  await expect(row(page, 'web-1')).toContainText('Active')
  await expect(row(page, 'web-1')).toContainText('10.20.0.10')
  await expect(row(page, 'old-erp')).toContainText('Error')
  await expectAccessible()
})

test('a status typed into the search becomes a filter, and the address keeps it', { tag: '@all' }, async ({ page }) => {
  await page.getByRole('combobox', { name: /^Search/ }).fill('status:error ')
  await expect(row(page, 'web-1')).toBeHidden()
  await expect(row(page, 'old-erp')).toBeVisible()
  await page.reload()
  await expect(row(page, 'old-erp')).toBeVisible()
  await expect(row(page, 'web-1')).toBeHidden()
})

test('a virtual machine starts from its row, and the row follows by itself', { tag: '@all' }, async ({ page }) => {
  await row(page, 'mail').hover()
  await row(page, 'mail').getByRole('button', { name: 'Start' }).click()
  await expect(row(page, 'mail')).toContainText('Active', { timeout: 30_000 })
})

test('what does not fit now is one press away, with its reason', { tag: '@all' }, async ({ page }) => {
  await row(page, 'build-runner').getByRole('button', { name: 'Actions of build-runner' }).click()
  const reboot = page.getByRole('menuitem', { name: /^Reboot/ })
  const fold = page.getByRole('menuitem', { name: /^Not available now/ })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await expect(reboot).toHaveCount(0)
  expect(await page.getByRole('menuitem').count()).toBeLessThanOrEqual(10)
  await fold.click()
  await expect(reboot).toHaveAttribute('aria-disabled', 'true')
  await expect(reboot).toContainText('Only while it is active')
})

test('a bulk action leaves out what it does not fit, and counts it', { tag: '@all' }, async ({ page }) => {
  await markRows(page, 'web-1', 'web-2', 'build-runner')
  await page.getByRole('toolbar').getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Suspend 2 virtual machines?')
  await expect(dialog).toContainText('1 is left out')
  await dialog.getByRole('button', { name: 'Suspend 2 virtual machines' }).click()
  for (const name of ['web-1', 'web-2']) await expect(row(page, name)).toContainText('Suspended', { timeout: 30_000 })
  for (const name of ['web-1', 'web-2']) {
    await row(page, name).hover()
    await row(page, name).getByRole('button', { name: 'Resume' }).click()
    await expect(row(page, name)).toContainText('Active', { timeout: 30_000 })
  }
})

test('cutting the power is asked for by name first', { tag: '@all' }, async ({ page }) => {
  await row(page, 'registry').getByRole('button', { name: 'Actions of registry' }).click()
  await page.getByRole('menuitem', { name: 'Power', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Power off' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Power off “registry”?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Power off' }).click()
  await expect(row(page, 'registry')).toContainText('Shut down', { timeout: 30_000 })
})

test(
  'rows stand in groups that fold by the keyboard, and the address brings the groups back',
  { tag: '@all' },
  async ({ page }) => {
    await page.getByRole('button', { name: 'Group rows' }).click()
    await page.getByRole('menuitemradio', { name: 'Operating system' }).click()
    await expect(page).toHaveURL(/groupBy=os_distro/)
    await page.reload()
    const first = page.getByRole('grid').getByRole('button', { expanded: true }).first()
    await expect(row(page, 'web-1')).toBeVisible()
    // comes after all that the page needs
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

test('on a phone rows are cards of two lines with the same menu and selection, and nothing goes sideways', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const card = row(page, 'web-1')
  await card.scrollIntoViewIfNeeded()
  expect((await card.boundingBox())!.height).toBe(60)
  for (const text of ['web-1', 'Active', '10.20.0.10', 'CPU', 'Memory'])
    await expect(card.getByText(text, { exact: true }).or(card.locator(`[data-label="${text}"]`))).toBeInViewport()
  const isWide = page.getByRole('grid').evaluate(({ parentElement: box }) => box!.scrollWidth > box!.clientWidth)
  expect(await isWide).toBe(false)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await markRows(page, 'web-1')
  // below the heading: what is said above the page may come later
  const heading = page.getByRole('heading', { level: 1 })
  const top = async () => (await card.boundingBox())!.y - (await heading.boundingBox())!.y
  const before = await top()
  await page.getByRole('toolbar').getByRole('button', { name: 'Clear selection' }).click()
  // the bar over the rows is as high with a selection as without
  expect(await top()).toBe(before)
  await card.getByRole('button', { name: 'Actions of web-1' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
})

const tabs = [
  { tab: 'Console log', part: 'log', shows: 'login:' },
  { tab: 'Events', part: 'events', shows: 'Everything' },
  { tab: 'Volumes', part: 'volumes', shows: 'Boot disk' },
  { tab: 'Network', part: 'network', shows: '10.20.0.12' },
] as const

test('the details have an address for each tab, and close to the list [RT-058]', async ({ page }) => {
  await row(page, 'database').getByRole('link').click()
  const drawer = page.getByRole('dialog', { name: 'database' })
  await expect(drawer.getByRole('button', { name: 'Open console' })).toBeVisible()
  await expect(drawer).toContainText('CPU load')
  for (const { tab, part, shows } of tabs) {
    await drawer.getByRole('tab', { name: tab }).click()
    await expect(page).toHaveURL(new RegExp(`/${part}$`))
    await expect(drawer).toContainText(shows)
  }
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/compute\/instances$/)
})

// the overview and the volumes are swept
test(
  'the log, the events and the network in the details pass axe',
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

test('the fault of a virtual machine is told as it came from the server [ER-027]', async ({ page }) => {
  await row(page, 'old-erp').getByRole('link').click()
  const fault = page.getByRole('alert')
  await expect(fault).toContainText('This virtual machine failed')
  await expect(fault).toContainText('A hard reboot tries to start it again.')
  const message = await page.evaluate(async () => {
    const id = location.pathname.split('/').at(-1)
    const token = localStorage.getItem('scopedToken') ?? ''
    const answer = await fetch(`/api/v2/compute/servers/${id}`, { headers: { 'x-auth-token': token } })
    return ((await answer.json()) as { fault: { message: string } }).fault.message
  })
  await expect(fault).toContainText(message)
})

test('a name is changed over the details, and the row follows', { tag: '@all' }, async ({ page }) => {
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

test('another flavor for one that is shut down', { tag: '@all' }, async ({ page }) => {
  await row(page, 'build-runner').getByRole('button', { name: 'Actions of build-runner' }).click()
  await page.getByRole('menuitem', { name: 'Resize' }).click()
  const form = page.getByRole('dialog', { name: 'Resize “build-runner”' })
  await form.getByRole('radio', { name: 's1.small' }).check()
  await form.getByRole('button', { name: 'Resize virtual machine' }).click()
  await expect(form).toBeHidden()
  await page.getByRole('dialog', { name: 'build-runner', exact: true }).press('Escape')
  await expect(row(page, 'build-runner')).toContainText('1 vCPU', { timeout: 30_000 })
})

test('deleting lists the volumes: those that go with it are ticked', { tag: '@all' }, async ({ page }) => {
  await row(page, 'vpn').getByRole('button', { name: 'Actions of vpn' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete virtual machine “vpn”?' })
  await expect(dialog.getByRole('checkbox', { name: /^vpn-boot/ })).toBeChecked()
  await expect(dialog).toContainText('No volumes are kept.')
  await expect(dialog).toContainText('Its address is released. It gets the address back when it is restored')
  await dialog.getByText('Delete for good at once').click()
  await expect(dialog).toContainText(/What is on the volume is lost for good: \d+.GiB/)
  await expect(dialog).toContainText(/It gives up its address/)
  await dialog.getByRole('button', { name: 'Delete virtual machine' }).click()
  await expect(row(page, 'vpn')).toBeHidden({ timeout: 30_000 })
})
