import { expect, type Locator, type Page } from '@playwright/test'
import { choose, chooseOf, enter, press, refuseMouse, tabTo, tick } from '../support/keyboard'
import { openRequests } from '../support/requests'
import { test } from '../support/test'
import { prepareNetworking } from '../sweep/networking'

/* Manages load balancers and VPN connections using only the keyboard, in a narrow window. */

test.use({ as: 'tenant', viewport: { width: 360, height: 800 } })

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const step = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Chooses an action from the open object's menu and confirms it. */
async function act(page: Page, name: string, action: string, verb = action): Promise<void> {
  await press(page.getByRole('button', { name: `Actions for ${name}` }))
  await choose(page, action)
  const question = page.getByRole('alertdialog')
  await press(question.getByRole('button', { name: verb, exact: true }))
  await expect(question).toBeHidden()
}

/** Opens a row's details. Returns their heading. */
async function open(page: Page, name: string): Promise<Locator> {
  await tabTo(row(page, name))
  await page.keyboard.press('Enter')
  const title = page.getByRole('heading', { level: 1, name })
  await expect(title).toBeVisible()
  return title
}

test.beforeEach(async ({ page, playwright, server, signedIn }) => {
  const { operator, tenant } = await openRequests(playwright.request, server, signedIn)
  await prepareNetworking(operator, tenant)
  await refuseMouse(page)
})

test('creates, disables and deletes a load balancer with a pool using only the keyboard', async ({ page }) => {
  const name = 'keys-balancer'
  await page.goto('/compute/load-balancers')
  await press(page.getByRole('link', { name: 'Create load balancer' }).first())
  await enter(page.getByLabel('Name', { exact: true }), name)
  await chooseOf(page.getByRole('button', { name: /Network$/ }), /^swept-inside/)

  await press(page.getByRole('link', { name: 'Change: Pool' }))
  const pool = step(page, 'Pool')
  await chooseOf(pool.getByRole('button', { name: /Forwarding$/ }), /^TCP to TCP/)
  await enter(pool.getByRole('textbox', { name: 'Port', exact: true }), '5432')
  await enter(pool.getByRole('textbox', { name: /^Member port/ }), '5433')
  await press(pool.getByRole('button', { name: 'Next: Members' }))
  const members = step(page, 'Members')
  await press(members.getByRole('button', { name: 'Add address' }))
  await expect(members.getByLabel('Address', { exact: true })).toBeFocused()
  await page.keyboard.type('192.168.90.40')
  await tick(members.getByRole('checkbox', { name: 'Send traffic to this member' }), false)
  await press(members.getByRole('button', { name: 'Next: Health check' }))
  const check = step(page, 'Health check')
  await enter(check.getByRole('textbox', { name: /^Interval/ }), '7')
  await press(check.getByRole('button', { name: 'Done' }))
  await expect(page.getByText('TCP 5432 to TCP 5433')).toBeVisible()
  await press(page.getByRole('button', { name: 'Create load balancer' }))
  await expect(row(page, name)).toContainText('Active')

  await open(page, name)
  await expect(page.getByRole('row', { name: /TCP 5432 to TCP 5433/ })).toContainText('0 of 1')
  await act(page, name, 'Disable')
  await expect(page.getByRole('main')).toContainText('Disabled')
  await act(page, name, 'Delete', 'Delete load balancer')
  await expect(page.getByRole('heading', { level: 1, name: 'Load balancers' })).toBeVisible()
  await expect(row(page, name)).toBeHidden()
})

test('creates, restarts and deletes a VPN connection using only the keyboard', async ({ page }) => {
  const name = 'keys-vpn'
  await page.goto('/compute/vpn')
  await press(page.getByRole('link', { name: 'Create VPN connection' }).first())
  await press(page.getByRole('link', { name: 'Change: IKE policy' }))
  await chooseOf(step(page, 'IKE policy').getByRole('button', { name: /Encryption$/ }), /^AES-128/)
  await press(step(page, 'IKE policy').getByRole('button', { name: 'Next: IPsec policy' }))
  await enter(step(page, 'IPsec policy').getByRole('textbox', { name: /^Key lifetime/ }), '1800')
  await press(step(page, 'IPsec policy').getByRole('button', { name: 'Next: Endpoint groups' }))
  const sides = step(page, 'Endpoint groups')
  await chooseOf(sides.getByRole('button', { name: /Router$/ }), /^swept-router/)
  await tick(sides.getByRole('checkbox', { name: /192\.168\.90\.0\/24/ }))
  await enter(sides.getByLabel('Remote IP ranges'), '10.87.0.0/16')
  await press(sides.getByRole('button', { name: 'Next: Connection' }))
  const connection = step(page, 'Connection')
  await enter(connection.getByLabel('Name', { exact: true }), name)
  await enter(connection.getByLabel('Peer address'), '198.51.100.87')
  await press(connection.getByRole('button', { name: 'Generate key' }))
  await expect(connection.getByLabel('Pre-shared key', { exact: true })).toHaveValue(/^\w{40}$/)
  await press(connection.getByRole('button', { name: 'Done' }))
  await press(page.getByRole('button', { name: 'Create VPN connection' }))
  await expect(row(page, name)).toContainText('198.51.100.87')

  await open(page, name)
  await tabTo(page.getByRole('tab', { name: 'Events' }))
  const events = page.getByRole('tabpanel', { name: 'Events' })
  await expect(events).toContainText(`VPN connection “${name}” created`)
  await act(page, name, 'Restart')
  await expect(events).toContainText(`VPN connection “${name}” restarted`)
  await act(page, name, 'Delete', 'Delete VPN connection')
  await expect(page.getByRole('heading', { level: 1, name: 'VPN connections' })).toBeVisible()
  await expect(row(page, name)).toBeHidden()
})
