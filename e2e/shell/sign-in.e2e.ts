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

test(
  'wrong credentials are told in one text, and nothing is given away',
  { tag: '@all' },
  async ({ page, expectAccessible }) => {
    await page.goto('/login')
    await page.getByLabel('User name').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText('The user name or the password is wrong')
    await expect(page.getByLabel('Domain')).toHaveAccessibleDescription('Users of another domain enter its name here.')
    await expectAccessible()
  },
)

test('the landing page is the overview, where compute is configured', { tag: '@all' }, async ({ page, signIn }) => {
  await signIn('/')
  await expect(page).toHaveURL('/monitoring')
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
  // on the server, as an administrator or its age would end it
  await page.evaluate(() =>
    fetch('/api/v2/logout', { method: 'POST', headers: { 'x-requested-with': 'XMLHttpRequest' } }),
  )
  const again = page.getByRole('dialog', { name: 'Sign in again to continue' })
  await expect(again).toBeVisible()
  await again.getByLabel('Password', { exact: true }).fill('correct horse 12')
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(again).toBeHidden()
  await expect(name).toHaveValue('half typed')
  expect((await context.cookies()).some(({ httpOnly }) => httpOnly)).toBe(true)
})

test('the portal keeps its session in the scope group self-service: an operator of the same host stays signed in beside it [CO-049]', async ({
  page,
  context,
  server,
  signIn,
}) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys')
  const operator = await context.newPage()
  await operator.goto(`${server.adminUrl}/login?redirectUrl=/compute/ssh-keys`)
  await operator.getByLabel('User name').fill('admin')
  await operator.getByLabel('Password', { exact: true }).fill('correct horse 12')
  await operator.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(operator.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  const sessions = (await context.cookies()).filter(({ name }) => name.startsWith('session'))
  expect(sessions.map(({ name }) => name).toSorted()).toEqual(['session-admin', 'session-self-service'])

  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  // who signs out of one panel goes on in the other
  await operator.getByRole('button', { name: 'admin: account' }).click()
  await operator.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(operator).toHaveURL(/\/login/)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
})
