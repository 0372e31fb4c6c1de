import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'admin' })
test.beforeEach(({ page }) => page.goto('/compute/ssh-keys'))

test('Tab goes from the skip link over the header and the menu to the content', async ({ page }) => {
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  // what is said over every page comes first
  await expect(page.getByRole('button', { name: 'Hide this message' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Add SSH key' }).first()).toBeFocused()
})

test('the side menu is 64 px wide, and 240 px when it is pinned, as it is from 1280 px on [UI-062]', async ({
  page,
}) => {
  const menu = page.getByRole('navigation', { name: 'Main' })
  const isWide = (width: number) => expect.poll(async () => (await menu.boundingBox())!.width).toBe(width)
  await page.setViewportSize({ width: 1279, height: 900 })
  await isWide(64)
  await page.setViewportSize({ width: 1280, height: 900 })
  await isWide(240)
  // a choice holds at any width, also after a reload
  await page.getByRole('button', { name: 'Make the menu narrow' }).click()
  await isWide(64)
  await page.reload()
  await isWide(64)
  await page.getByRole('button', { name: 'Keep the menu open' }).click()
  await page.setViewportSize({ width: 1024, height: 900 })
  await page.reload()
  await isWide(240)
})

test('the user menu leads to about and to the own password [UI-074] [UI-075] [UI-076] [UI-078]', async ({ page }) => {
  await page.getByRole('button', { name: 'admin: account' }).click()
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Log out' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'About' }).click()
  const about = page.getByRole('dialog', { name: /About/ })
  await expect(about.getByText('Version', { exact: true })).toBeVisible()
  await expect(about.getByText('Release', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
})

test('what somebody else does shows without reloading, and the header says that it is live', async ({ page }) => {
  await expect(page.getByRole('banner').getByText('Live')).toBeVisible()
  const token = await page.evaluate(() => localStorage.getItem('scopedToken'))
  const name = `from outside ${Date.now()}`
  await page.request.post('/api/v2/compute/keys/generate', { headers: { 'x-auth-token': token! }, data: { name } })
  // a list that is live does not poll
  await expect(page.getByRole('row', { name })).toBeVisible()
})

test(
  'a page that is not there says so, with the way home [RT-029]',
  { tag: '@all' },
  async ({ page, expectAccessible }) => {
    await page.goto('/nowhere')
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeFocused()
    await expectAccessible()
  },
)
