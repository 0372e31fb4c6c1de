import { expect } from '@playwright/test'
import { test } from '../support/test'

test('redirects anonymous users to the sign-in page, and then to the page they requested [PE-004] [RT-007]', async ({
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
  'rejects wrong credentials with a message that does not reveal whether the user exists',
  { tag: '@all' },
  async ({ page, expectAccessible }) => {
    await page.goto('/login')
    await page.getByLabel('Username').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText('The username or password is incorrect')
    await expect(page.getByLabel('Domain')).toHaveAccessibleDescription(
      'If your account is in another domain, enter the name of that domain.',
    )
    await expectAccessible()
  },
)

test('opens the monitoring overview as the landing page', { tag: '@all' }, async ({ page, signIn }) => {
  await signIn('/')
  await expect(page).toHaveURL('/monitoring')
})

test('signing out opens the sign-in page, and Back does not show earlier pages', async ({ page, signIn }) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys')
  await page.getByRole('button', { name: 'Account menu: admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login/)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
})

test('when the session ends, asks the user to sign in again over the page, and keeps entered text', async ({
  page,
  signIn,
  context,
}) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys/add')
  const name = page.getByLabel('Name')
  await name.fill('half typed')
  // end the session on the server, as an administrator or an expiry would
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

test('the portal uses the scope group self-service: an operator on the same host keeps a separate session [CO-049]', async ({
  page,
  context,
  server,
  signIn,
}) => {
  await signIn('/login?redirectUrl=/compute/ssh-keys')
  const operator = await context.newPage()
  await operator.goto(`${server.adminUrl}/login?redirectUrl=/compute/ssh-keys`)
  await operator.getByLabel('Username').fill('admin')
  await operator.getByLabel('Password', { exact: true }).fill('correct horse 12')
  await operator.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(operator.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  const sessions = (await context.cookies()).filter(({ name }) => name.startsWith('session'))
  expect(sessions.map(({ name }) => name).toSorted()).toEqual(['session-admin', 'session-self-service'])

  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
  // signing out of one panel does not affect the other
  await operator.getByRole('button', { name: 'Account menu: admin' }).click()
  await operator.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(operator).toHaveURL(/\/login/)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'SSH keys' })).toBeVisible()
})
