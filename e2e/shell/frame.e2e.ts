import { expect, type Locator } from '@playwright/test'
import { tabTo } from '../support/keyboard'
import { mainMenu } from '../support/menu'
import { test } from '../support/test'

test.use({ as: 'admin' })
test.beforeEach(({ page }) => page.goto('/compute/ssh-keys'))

test('the skip link moves the focus past the header and the menu to the content', async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  // the message at the top of every page comes first
  await expect(page.getByRole('button', { name: 'Hide this message' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Add SSH key' }).first()).toBeFocused()
})

test('the side menu is 64 px wide; in windows of at least 1280 px, the pages in a group appear next to it until collapsed [UI-062]', async ({
  page,
}) => {
  const pages = page.getByRole('navigation', { name: 'Compute', exact: true })
  const width = async (of: Locator) => (await of.boundingBox())!.width
  for (const [window, isPinned] of [
    [1279, false],
    [1280, true],
  ] as const) {
    await page.setViewportSize({ width: window, height: 900 })
    await expect(pages).toHaveCount(isPinned ? 1 : 0)
    expect(await width(mainMenu(page))).toBe(64)
  }
  expect(await width(pages)).toBe(208)
  // the setting applies at every width and survives a reload; the focus is kept
  await pages.getByRole('button', { name: 'Collapse' }).click()
  await expect(pages).toHaveCount(0)
  await expect(mainMenu(page).getByRole('link', { name: 'Compute' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await expect(pages).toHaveCount(0)
  await mainMenu(page).getByRole('link', { name: 'Compute' }).hover()
  await pages.getByRole('button', { name: 'Keep open' }).click()
  await expect(pages.getByRole('button', { name: 'Collapse' })).toBeFocused()
  await page.setViewportSize({ width: 1024, height: 900 })
  await page.reload()
  await expect(pages).toHaveCount(1)
})

test('in a narrow window, shows the pages in a group over the content on hover and with the keyboard, and restores the focus', async ({
  page,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 1024, height: 900 })
  const group = mainMenu(page).getByRole('link', { name: 'Network' })
  const pages = page.getByRole('navigation', { name: 'Network', exact: true })
  const content = page.getByRole('heading', { name: 'SSH keys' })
  await expect(page.getByRole('navigation', { name: 'Compute', exact: true })).toHaveCount(0)
  const before = await content.boundingBox()
  await group.hover()
  await expect(pages).toBeVisible()
  expect(await content.boundingBox()).toEqual(before)
  await expectAccessible()
  await content.hover()
  await expect(pages).toHaveCount(0)
  // Tab moves to the current page's group, and arrow keys move to the others
  await tabTo(group)
  await page.keyboard.press('ArrowRight')
  await expect(pages.getByRole('link', { name: 'Networks' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(pages.getByRole('link', { name: 'Routers' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(pages).toHaveCount(0)
  await expect(group).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(pages.getByRole('link', { name: 'Networks' })).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/compute\/vpn$/)
  await expect(pages).toHaveCount(0)
  await expect(group).toBeFocused()
  await expect(group).toHaveAttribute('aria-current', 'true')
})

test('the menu does not scroll in a window 900 px high', async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  const groups = await mainMenu(page).getByRole('link').all()
  expect(groups.length).toBeGreaterThan(4)
  for (const group of groups) {
    await group.click()
    const scrolling = await page
      .locator('nav[data-one-stop]')
      .evaluateAll((parts) => parts.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length)
    expect(scrolling, (await group.textContent()) ?? '').toBe(0)
  }
})

test('the account menu offers the About dialog, a password change and sign-out [UI-074] [UI-075] [UI-076] [UI-078]', async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Account menu: admin' }).click()
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'About' }).click()
  const about = page.getByRole('dialog', { name: /About/ })
  await expect(about.getByText('Version', { exact: true })).toBeVisible()
  await expect(about.getByText('Release', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
})

test('shows changes from other sessions without a reload, and a live indicator in the header', async ({ page }) => {
  await expect(page.getByRole('banner').getByText('Live')).toBeVisible()
  const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
  const name = `from outside ${Date.now()}`
  await page.request.post('/api/v2/compute/keys/generate', { headers: { 'x-auth-token': token! }, data: { name } })
  // a live list does not poll, so the change was pushed
  await expect(page.getByRole('row', { name })).toBeVisible()
})

test('shows an error page for unknown addresses [RT-029]', { tag: '@all' }, async ({ page, expectAccessible }) => {
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeFocused()
  await expectAccessible()
})
