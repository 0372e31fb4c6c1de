import { expect as expectSoon, type Locator, type Page } from '@playwright/test'

/** Guests without KVM that share two cores leave little to the console. */
const expect = expectSoon.configure({ timeout: 120_000 })

/* What people do in the console to have networks and machines in them. */

const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name })

/** Opens a page of the panel that is open. */
export const go = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)

/** Chooses one of the list that a button opens. */
async function chooseOf(button: Locator, option: string | RegExp): Promise<void> {
  await button.click()
  const list = button.page().getByRole('listbox')
  await list.getByRole('option', { name: option }).click()
  await expect(list).toBeHidden()
}

/** An external network that everybody's routers may lead to; in the administration panel. */
export async function addExternalNetwork(page: Page, name: string, range: string): Promise<void> {
  await go(page, '/compute/networks/add')
  const form = dialog(page, 'Create virtual network')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByRole('radio', { name: /^External(?!, in a VLAN)/ }).check({ force: true })
  await form.getByRole('textbox', { name: 'IPv4 range' }).fill(range)
  await form.getByRole('button', { name: /^Access/ }).click()
  await form.getByRole('combobox', { name: 'Share with' }).click()
  await page.getByRole('option', { name: 'Everybody' }).click()
  await chooseOf(form.getByRole('button', { name: /Access$/ }).last(), /^Routed/)
  await form.getByRole('button', { name: 'Create network' }).click()
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

export async function addNetwork(page: Page, name: string, range: string): Promise<void> {
  await go(page, '/compute/networks/add')
  const form = dialog(page, 'Create virtual network')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByRole('textbox', { name: 'IPv4 range' }).fill(range)
  await form.getByRole('button', { name: 'Create network' }).click()
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

export async function addRouter(page: Page, name: string, gateway: string, networks: readonly string[]): Promise<void> {
  await go(page, '/compute/routers/add')
  const form = dialog(page, 'Create router')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await chooseOf(form.getByRole('button', { name: 'External network' }), new RegExp(`^${gateway}`))
  for (const network of networks) {
    await form.getByRole('button', { name: 'Connect a network' }).click()
    await chooseOf(form.getByRole('button', { name: /Network$/ }).last(), new RegExp(`^${network}`))
  }
  await form.getByRole('button', { name: 'Create router' }).click()
  await expect(page.getByRole('row', { name, exact: true })).toContainText('Active')
}

/** Adds a rule to the group whose page is open. */
export async function addRule(page: Page, template: string): Promise<void> {
  await page.getByRole('button', { name: template }).click()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Let in' })).toBeVisible()
}

/** A security group that lets in what a template names, and nothing out. */
export async function addClosedGroup(page: Page, name: string, template: string): Promise<void> {
  await go(page, '/compute/security-groups/add')
  const form = dialog(page, 'Create security group')
  await form.getByLabel('Name', { exact: true }).fill(name)
  await form.getByRole('button', { name: 'Create security group' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await addRule(page, template)
  await page.getByRole('tab', { name: /^Outbound/ }).click()
  const rules = page.getByRole('listitem').filter({ hasText: 'Let out' })
  for (let left = await rules.count(); left > 0; left--) {
    await rules
      .first()
      .getByRole('button', { name: /^Delete rule/ })
      .click()
    await expect(rules).toHaveCount(left - 1)
  }
}

export async function openGroup(page: Page, name: string): Promise<void> {
  await go(page, '/compute/security-groups')
  await page.getByRole('link', { name, exact: true }).click()
}

/** Takes a rule out of the group whose page is open. */
export async function deleteRule(page: Page, rule: RegExp): Promise<void> {
  await page.getByRole('button', { name: rule }).click()
  await expect(page.getByRole('button', { name: rule })).toBeHidden()
}

interface MachineDraft {
  name: string
  image: string
  network: string
  /** Left out: the first group of the project. */
  group?: string
  /** A new one of this external network. */
  floatingIpOf?: string
}

/** Answers the id of the machine. */
export async function addMachine(page: Page, draft: MachineDraft): Promise<string> {
  const { name, image, network, group, floatingIpOf } = draft
  await go(page, '/compute/instances/add')
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  const step = async (title: string) => {
    await page.getByRole('link', { name: new RegExp(`^(Choose|Change): ${title}$`) }).click()
    return dialog(page, title)
  }
  const boot = await step('Boot from')
  await boot.getByRole('radio', { name: image }).check({ force: true })
  await boot.getByRole('button', { name: 'Done' }).click()
  const networks = await step('Networks')
  const choices = networks.getByRole('table', { name: 'networks' })
  await choices.getByRole('checkbox', { name: network, exact: true }).check({ force: true })
  const others = choices.getByRole('row').filter({ hasNotText: network }).locator('input:checked')
  while ((await others.count()) > 0) await others.first().uncheck({ force: true })
  if (group !== undefined) {
    await networks.getByRole('button', { name: /^Security groups/ }).click()
    await networks.getByRole('checkbox', { name: group, exact: true }).check({ force: true })
  }
  if (floatingIpOf !== undefined)
    await chooseOf(networks.getByRole('button', { name: /Floating IP$/ }), `A new one of ${floatingIpOf}`)
  await networks.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Create virtual machine' }).click()
  const row = page.getByRole('row', { name, exact: true })
  await expect(row).toBeVisible()
  return (await row.getAttribute('data-row'))!
}

/** Publishes a port of the floating IP that leads to a machine; answers the address that the console shows for it. */
export async function publishPort(page: Page, machine: string, port: string): Promise<string> {
  await go(page, '/compute/floating-ips')
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: machine, exact: true }) })
  await row.getByRole('link').first().click()
  await page.getByRole('button', { name: 'Publish port' }).click()
  const form = dialog(page, /^Publish a port of/)
  await form.getByRole('textbox', { name: 'Port' }).fill(port)
  await expect(form.getByText('A rule of the destination lets it in')).toBeVisible()
  await form.getByRole('button', { name: 'Publish port' }).click()
  const published = page.getByRole('row').filter({ hasText: `${port} TCP` })
  await expect(published).toContainText('Open')
  return (await published.getByRole('link').getAttribute('href'))!
}

/** Starts a machine again that ended with its host. */
export async function startAgain(page: Page, name: string): Promise<void> {
  const row = page.getByRole('row', { name, exact: true })
  await expect(row).toContainText('Error')
  await row.getByRole('button', { name: `Actions of ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Hard reboot' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hard reboot' }).click()
  await expect(row).toContainText('Active')
}
