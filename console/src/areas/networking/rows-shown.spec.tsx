import { fireEvent, screen, within } from '@testing-library/react'
import { Network, networks } from '@mainstay/contract/networking/networks'
import { Router, routers } from '@mainstay/contract/networking/routers'
import { beforeAll, expect, it } from 'vitest'
import { floatingIpRow, groupRow, networkRow, portRow, routerRow } from '../../../../server/src/testing/networking-rows'
import { openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
beforeAll(() => import('./views'))

const as = 'project-member'
const words = {
  ACTIVE: 'Active',
  DOWN: 'Down',
  BUILD: 'Building',
  ERROR: 'Error',
  PENDING_CREATE: 'Creating',
  PENDING_UPDATE: 'Updating',
  PENDING_DELETE: 'Deleting',
} as const
type Status = keyof typeof words
const statuses = Object.keys(words) as Status[]

beforeAll(async () => {
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const owner = { project_id, domain_id }
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const status of statuses) {
      await records.put('network', networkRow(owner, `network ${status}`, [], { status }))
      await records.put('router', routerRow(owner, `router ${status}`, [], null, { status }))
    }
  })
})

async function shownAndFound(
  kind: 'network' | 'router',
  list: typeof networks.list | typeof routers.list,
  path: string,
) {
  await openPage(path, as)
  for (const status of statuses) {
    const row = await screen.findByRole('row', { name: `${kind} ${status}` }, pageTimeout)
    expect(within(row).getByText(words[status])).toBeTruthy()
    const { data } = await server.call(list, { as, query: { status } })
    expect(data.map(({ name }) => name).filter((name) => name.startsWith(kind))).toEqual([`${kind} ${status}`])
  }
}

it('shows all seven network statuses in the list, and finds networks by status [ST-077]', async () => {
  await shownAndFound('network', networks.list, '/compute/networks')
  expect(Network.shape.status.safeParse('PENDING').success).toBe(false)
})

it('shows all seven router statuses in the list, and finds routers by status [ST-076]', async () => {
  await shownAndFound('router', routers.list, '/compute/routers')
  expect(Router.shape.status.safeParse('PENDING').success).toBe(false)
})

/* The tests below check the fields that pages show. Operators also see the owner of each row. */

const operator = 'superuser'
const owner = () => {
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  return { project_id, domain_id }
}
const rows = () => {
  const office = networkRow(owner(), 'office', ['203.0.113.0/24'], {
    ...{ type: 'vlan', vlan_id: 42, router_external: true, physical_network: 'rack', mtu: 1400 },
    rbac_policies: [{ target_project: '*', actions: ['routed'] }],
  })
  const front = networkRow(owner(), 'front', ['10.70.0.0/24', 'fd00:70::/64'])
  const bare = networkRow(owner(), 'bare', [], { type: 'flat', shared: true, spoofing_protection: false })
  const edge = routerRow(owner(), 'edge', [[front, '10.70.0.1']], [office, '203.0.113.7'], {
    routes: [{ destination: '10.99.0.0/16', nexthop: '10.70.0.44' }],
  })
  const web = portRow(owner(), 'web', front, ['10.70.0.10'])
  const group = groupRow(owner(), 'guards', [
    { protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
    { direction: 'egress', protocol: 'udp', port_range_min: 53, port_range_max: 53 },
  ])
  const floating = floatingIpRow(owner(), 'reached', office, '203.0.113.50', { port: web, router: edge })
  return { networks: [office, front, bare], edge, web, group: { ...group, description: 'lets in' }, floating }
}
beforeAll(async () => {
  const { networks: all, edge, web, group, floating } = rows()
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const network of all) {
      await records.put('network', network)
      for (const row of network.subnets) await records.put('subnet', row)
    }
    await records.put('router', edge)
    await records.put('port', web)
    await records.put('security_group', group)
    for (const rule of group.security_group_rules) await records.put('security_group_rule', rule)
    await records.put('floating_ip', floating)
  })
})

type Place = ReturnType<typeof within>
const part = async (name: string) => within(await screen.findByRole('region', { name }, pageTimeout))
/** The displayed property values, keyed by label. */
const factsOf = (place: Place) =>
  Object.fromEntries(
    place
      .getAllByRole('term')
      .map((term: HTMLElement) => [term.textContent, term.nextElementSibling?.textContent ?? '']),
  )
const isOwned = () => ({
  Project: expect.stringContaining(owner().project_id),
  Domain: expect.stringContaining(owner().domain_id),
})

it('shows the type, owner and access of a network [EN-040]', async () => {
  await openPage('/compute/networks/office', operator)
  expect(factsOf(await part('Properties'))).toMatchObject({
    ...{ Type: 'ExternalVLAN 42', Access: 'Routed', 'Infrastructure network': 'rack', MTU: '1400', ...isOwned() },
    'Spoofing protection': 'On',
  })
  await part('203.0.113.0/24')
  await openPage('/compute/networks/office/access', operator)
  const access = within(await screen.findByRole('table', { name: 'Access' }, pageTimeout))
  expect(access.getByText('Everyone').closest('tr')!.textContent).toContain('Routed')
  await openPage('/compute/networks/bare', operator)
  const bare = factsOf(await part('Properties'))
  // this network cannot be used as a router's gateway, so it is not external
  expect(bare).toMatchObject({ Type: 'PrivateNo address management', 'Spoofing protection': 'Off' })
  await openPage('/compute/networks', operator)
  expect(within(await screen.findByRole('row', { name: 'bare' }, pageTimeout)).getByText('Shared')).toBeTruthy()
  await openPage('/compute/networks/front', operator)
  expect(factsOf(await part('Properties'))).toMatchObject({ Type: 'Private' })
})

it("shows a subnet's addresses and its IPv6 address mode [EN-041]", async () => {
  await openPage('/compute/networks/front', as)
  const four = await part('10.70.0.0/24')
  expect(four.getByText('IPv4')).toBeTruthy()
  expect(factsOf(four)).toMatchObject({
    ...{ Gateway: '10.70.0.1', 'Built-in DHCP': 'On', 'Name servers': '10.70.0.2' },
    'Allocation pools': '10.70.0.10 to 10.70.0.19',
  })
  const six = await part('fd00:70::/64')
  expect(factsOf(six)).toMatchObject({ 'IPv6 address mode': expect.stringContaining('SLAAC') })
})

it("shows a router's gateway, interfaces, routes and owner [EN-042]", async () => {
  await openPage('/compute/routers/edge/routes', operator)
  expect(factsOf(await part('Gateway'))).toEqual({
    ...{ 'External network': 'office', 'External IP': '203.0.113.7', 'Outbound NAT': 'On' },
  })
  expect(factsOf(await part('Properties'))).toMatchObject({
    ...isOwned(),
    ...{ Created: expect.stringMatching(/\d/), Updated: expect.stringMatching(/\d/) },
  })
  expect(screen.getByText('Active')).toBeTruthy()
  const routes = within(await screen.findByRole('table', { name: 'Routes' }, pageTimeout))
  expect(routes.getByText('10.99.0.0/16').closest('tr')!.textContent).toContain('10.70.0.44')
  await openPage('/compute/routers/edge/interfaces', operator)
  const cards = within(await screen.findByRole('table', { name: 'Interfaces' }, pageTimeout))
  expect(cards.getByRole('link', { name: 'front' }).closest('tr')!.textContent).toContain('10.70.0.1')
})

it("shows a security group's description, owner, and inbound and outbound rules [EN-043]", async () => {
  await openPage('/compute/security-groups', operator)
  const row = within(await screen.findByRole('row', { name: 'guards' }, pageTimeout))
  await row.findByText('alpha-one', {}, pageTimeout)
  await row.findByText('alpha', {}, pageTimeout)
  await openPage('/compute/security-groups/guards', as)
  await screen.findByText('lets in', {}, pageTimeout)
  const rules = async () => (await screen.findByRole('list', { name: 'Rules' }, pageTimeout)).textContent
  expect(await rules()).toMatch(/Allow inbound traffic from [^:]*: TCP 22/)
  fireEvent.click(screen.getByRole('tab', { name: /^Outbound/ }))
  await screen.findByText('UDP 53', {}, pageTimeout)
  expect(await rules()).not.toContain('TCP 22')
})

it("shows a floating IP's target, router and owner [EN-039]", async () => {
  await openPage('/compute/floating-ips/reached', operator)
  const form = within(await screen.findByRole('dialog', { name: '203.0.113.50' }, pageTimeout))
  const router = await form.findByRole('link', { name: 'edge' }, pageTimeout)
  expect(router.getAttribute('href')).toBe('/compute/routers/edge')
  expect(factsOf(form)).toMatchObject({
    ...{ Address: '203.0.113.50', 'Assigned to': 'VM web', 'Internal IP': '10.70.0.10', ...isOwned() },
    ...{ Router: 'edge', Network: 'office' },
  })
  expect(form.getByRole('link', { name: 'VM web' }).getAttribute('href')).toBe('/compute/instances/vm-web')
  expect(form.getByText('Assigned')).toBeTruthy()
})
