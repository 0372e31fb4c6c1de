import { expect as expectSoon, type Locator, type Page } from '@playwright/test'
import { addBy, choose, chooseOf, enter, press, tabTo, tick } from '../support/keyboard'

/** Long timeout, because guests without KVM leave little CPU time for the console on two cores. */
const expect = expectSoon.configure({ timeout: 120_000 })

/* Creates networks and instances in the console using only the keyboard. */

const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name })

/** Opens a path in the current panel. */
export const go = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

/** Creates an external network that any router may use as its external gateway. Expects the admin panel to be open. */
export async function addExternalNetwork(page: Page, name: string, range: string): Promise<void> {
  await go(page, '/compute/networks/add')
  const form = dialog(page, 'Create virtual network')
  await enter(form.getByLabel('Name', { exact: true }), name)
  await tick(form.getByRole('radio', { name: /^External(?! VLAN)/ }))
  await enter(form.getByRole('textbox', { name: 'IPv4 range' }), range)
  await press(form.getByRole('button', { name: /^Access/ }))
  await addBy(form.getByRole('combobox', { name: 'Share with' }), /^Everyone/)
  await chooseOf(form.getByRole('button', { name: /Access$/ }).last(), /^Routed/)
  await press(form.getByRole('button', { name: 'Create network' }))
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

export async function addNetwork(page: Page, name: string, range: string): Promise<void> {
  await go(page, '/compute/networks/add')
  const form = dialog(page, 'Create virtual network')
  await enter(form.getByLabel('Name', { exact: true }), name)
  await enter(form.getByRole('textbox', { name: 'IPv4 range' }), range)
  await press(form.getByRole('button', { name: 'Create network' }))
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

export async function addRouter(page: Page, name: string, gateway: string, networks: readonly string[]): Promise<void> {
  await go(page, '/compute/routers/add')
  const form = dialog(page, 'Create router')
  await enter(form.getByLabel('Name', { exact: true }), name)
  await chooseOf(form.getByRole('button', { name: 'External network' }), new RegExp(`^${gateway}`))
  for (const network of networks) {
    await press(form.getByRole('button', { name: 'Connect network' }))
    await chooseOf(form.getByRole('button', { name: /Network$/ }).last(), new RegExp(`^${network}`))
  }
  await press(form.getByRole('button', { name: 'Create router' }))
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

/** Adds a rule to the security group that is open. */
export async function addRule(page: Page, template: string): Promise<void> {
  await press(page.getByRole('button', { name: template }))
  await press(page.getByRole('button', { name: 'Add rule' }))
  await expect(page.getByRole('listitem').filter({ hasText: 'Allow inbound traffic' })).toBeVisible()
}

/** Creates a security group that allows the inbound traffic of a template and blocks all outbound traffic. */
export async function addClosedGroup(page: Page, name: string, template: string): Promise<void> {
  await go(page, '/compute/security-groups/add')
  const form = dialog(page, 'Create security group')
  await enter(form.getByLabel('Name', { exact: true }), name)
  await press(form.getByRole('button', { name: 'Create security group' }))
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await addRule(page, template)
  await tabTo(page.getByRole('tab', { name: /^Outbound/ }))
  const rules = page.getByRole('listitem').filter({ hasText: 'Allow outbound traffic' })
  await expect(rules).not.toHaveCount(0)
  for (let left = await rules.count(); left > 0; left--) {
    await press(rules.first().getByRole('button', { name: /^Delete rule/ }))
    await expect(rules).toHaveCount(left - 1)
  }
}

export async function openGroup(page: Page, name: string): Promise<void> {
  await go(page, '/compute/security-groups')
  await press(page.getByRole('link', { name, exact: true }))
}

/** Deletes a rule from the security group that is open. */
export async function deleteRule(page: Page, rule: RegExp): Promise<void> {
  await press(page.getByRole('button', { name: rule }))
  await expect(page.getByRole('button', { name: rule })).toBeHidden()
}

interface MachineDraft {
  name: string
  image: string
  network: string
  /** Security group. Default: the project's first group. */
  group?: string
  /** External network from which a new floating IP is allocated. */
  floatingIpOf?: string
}

/** Creates an instance. Returns its ID. */
export async function addMachine(page: Page, draft: MachineDraft): Promise<string> {
  const { name, image, network, group, floatingIpOf } = draft
  await go(page, '/compute/instances/add')
  await enter(page.getByRole('textbox', { name: 'Name' }), name)
  const step = async (title: string) => {
    await press(page.getByRole('link', { name: new RegExp(`^(Choose|Change): ${title}$`) }))
    return dialog(page, title)
  }
  const boot = await step('Boot from')
  await tick(boot.getByRole('radio', { name: image }))
  await press(boot.getByRole('button', { name: 'Done' }))
  const networks = await step('Networks')
  const choices = networks.getByRole('table', { name: 'networks' })
  await tick(choices.getByRole('checkbox', { name: network, exact: true }))
  const others = choices.getByRole('row').filter({ hasNotText: network }).locator('input:enabled')
  for (const other of await others.all()) await tick(other, false)
  if (group !== undefined) {
    await press(networks.getByRole('button', { name: /^Security groups/ }))
    await tick(networks.getByRole('checkbox', { name: group, exact: true }))
  }
  if (floatingIpOf !== undefined)
    await chooseOf(
      networks.getByRole('button', { name: /Floating IP$/ }),
      new RegExp(`^New floating IP from ${floatingIpOf}`),
    )
  await press(networks.getByRole('button', { name: 'Done' }))
  await press(page.getByRole('button', { name: 'Create virtual machine' }))
  const row = page.getByRole('row', { name, exact: true })
  await expect(row).toBeVisible()
  return (await row.getAttribute('data-row'))!
}

/** Publishes a port on the instance's floating IP. Returns the URL that the console shows for it. */
export async function publishPort(page: Page, machine: string, port: string): Promise<string> {
  await go(page, '/compute/floating-ips')
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: machine, exact: true }) })
  await press(row.getByRole('link').first())
  await press(page.getByRole('button', { name: 'Publish port' }))
  const form = dialog(page, /^Publish a port on/)
  await enter(form.getByRole('textbox', { name: 'Port' }), port)
  await expect(form.getByText('An inbound rule in the destination’s security groups allows the traffic')).toBeVisible()
  await press(form.getByRole('button', { name: 'Publish port' }))
  const published = page.getByRole('row').filter({ hasText: `${port} TCP` })
  await expect(published).toContainText('Open')
  return (await published.getByRole('link').getAttribute('href'))!
}

/** Restarts an instance after its host failed. */
export async function startAgain(page: Page, name: string): Promise<void> {
  const row = page.getByRole('row', { name, exact: true })
  await expect(row).toContainText('Error')
  await press(row.getByRole('button', { name: `Actions for ${name}` }))
  await choose(page, 'Hard reboot')
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Hard reboot' }))
  await expect(row).toContainText('Active')
}
