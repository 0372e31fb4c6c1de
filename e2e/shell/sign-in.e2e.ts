import { expect } from '@playwright/test'
import { test } from '../support/test'

test('an anonymous visitor signs in and comes to the page that was asked for [PE-004] [RT-007]', async ({
  page,
  signIn,
}) => {
  await page.goto('/compute/ssh-keys?search=web')
  await expect(page).toHaveURL(/\/login\?redirectUrl=/)
  await signIn()
  await expect(page).toHaveURL('/compute/ssh-keys?search=web')
  await expect(page).toHaveTitle('SSH keys - Mainstay')
})

test('wrong credentials are told in one text, and nothing is given away', async ({ page, expectAccessible }) => {
  await page.goto('/login')
  await page.getByLabel('User name').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText('The user name or the password is wrong')
  await expectAccessible()
})

test('the landing page is the virtual machines, where compute is configured', async ({ page, signIn }) => {
  await signIn('/')
  await expect(page).toHaveURL('/compute/instances')
})

test('logging out leads to sign-in, and Back shows nothing of what was', async ({ page, signIn }) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys')
  await page.getByRole('button', { name: 'admin: account' }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL(/\/login/)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
})

test('a session that ended is renewed over the page, and what was typed stays', async ({ page, signIn, context }) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys/add')
  const name = page.getByLabel('Name')
  await name.fill('half typed')
  // the session ends on the server, as an administrator or its age would end it
  await page.evaluate(() =>
    fetch('/api/v2/logout', { method: 'POST', headers: { 'x-requested-with': 'XMLHttpRequest' } }),
  )
  const again = page.getByRole('dialog', { name: 'Session ended' })
  await expect(again).toBeVisible()
  await again.getByLabel('Password', { exact: true }).fill('correct horse 12')
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(again).toBeHidden()
  await expect(name).toHaveValue('half typed')
  expect((await context.cookies()).some(({ httpOnly }) => httpOnly)).toBe(true)
})
