import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { routers } from '@mainstay/contract/networking/routers'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { pressAndLoad } from '../../testing/press-and-load'
import {
  expectAddress,
  dialog,
  enter,
  isGone,
  openPage,
  page,
  press,
  deleteRow,
  confirmDialog,
  server,
  withPages,
} from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const list = '/compute/floating-ips'
const network = (name: string, cidr: string) =>
  server.call(networks.createPrivate, { as, body: { name, subnets: [{ cidr }] } })
let front: Network
beforeAll(async () => {
  const { id } = await server.call(networks.createPublic, {
    as: 'superuser',
    body: {
      ...{ name: 'office', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  })
  front = await network('front', '192.168.80.0/24')
  const lonely = await network('lonely', '192.168.81.0/24')
  await server.call(routers.create, {
    as,
    body: {
      ...{ name: 'edge', external_gateway_info: { network_id: id, enable_snat: true } },
      internal_interfaces: [{ network_id: front.id }],
    },
  })
  await server.call(ports.create, { as, body: { network_id: front.id, name: 'reached' } })
  await server.call(ports.create, { as, body: { network_id: lonely.id, name: 'unreached' } })
})

it(
  'lets permitted users allocate a floating IP, offers to assign it, and lists it [RT-043] [RT-044]',
  long,
  async () => {
    const { address } = await openPage(`${list}/add`, 'viewer')
    await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
    await openPage(`${list}/add`, as)
    const form = await dialog('Allocate floating IP')
    await form.findByRole('radio', { name: /office/ }, pageTimeout)
    await press('Allocate floating IP')
    await screen.findByRole('dialog', { name: /^Assign 203\.0\.113\./ }, pageTimeout)
    const { data } = await server.call(floatingIps.list, { as })
    expect(page!.address()).toBe(`${list}/${data[0]!.id}/assign`)
    await openPage(list, as)
    const row = within(await screen.findByRole('row', { name: data[0]!.floating_ip_address }, pageTimeout))
    expect(row.getByText('Not assigned')).toBeTruthy()
  },
)

it('lets permitted users assign a floating IP, and explains why a target is unavailable [RT-045]', long, async () => {
  const [it] = (await server.call(floatingIps.list, { as })).data
  const place = `${list}/${it!.id}/assign`
  const { address } = await openPage(place, 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
  await openPage(place, as)
  const form = await dialog(`Assign ${it!.floating_ip_address}`)
  await form.findByText('“lonely” is not connected to a router.', {}, pageTimeout)
  const reached = await form.findByRole<HTMLInputElement>('radio', { name: /192\.168\.80\./ }, pageTimeout)
  fireEvent.click(reached)
  const way = within(await form.findByRole('list', { name: 'Traffic path' }, pageTimeout))
  await way.findByText('edge', {}, pageTimeout)
  await press('Assign')
  await expectAddress(list)
  const now = await server.call(floatingIps.view, { as, params: { id: it!.id } })
  expect(now.fixed_ip_address).toMatch(/^192\.168\.80\./)
})

/** Rules in the default group that allow inbound traffic to a port from anywhere. */
async function rulesAt(port: number) {
  const [group] = (await server.call(securityGroups.list, { as, query: { name: 'exact:default' } })).data
  return group!.security_group_rules.filter(
    (rule) => rule.port_range_min === port && rule.port_range_max === port && rule.remote_ip_prefix === null,
  )
}

it('shows a connection check and the missing rule before a port is published', { ...long, tags: 'all' }, async () => {
  const [it] = (await server.call(floatingIps.list, { as })).data
  const place = `${list}/${it!.id}`
  const { address } = await openPage(place, as)
  expect(address()).toBe(place)
  await screen.findByText('No ports published yet.', {}, pageTimeout)
  await press('Publish port')
  const form = await dialog(`Publish a port on ${it!.floating_ip_address}`)
  // the project's default group allows no inbound traffic
  const happens = within(await form.findByRole('region', { name: 'Connection check' }, pageTimeout))
  await happens.findByText('The floating IP forwards the traffic', {}, pageTimeout)
  await happens.findByText('No inbound rule in the destination’s security groups allows the traffic', {}, pageTimeout)
  expect(happens.queryByText('Both ends are on the same network')).toBeNull()
  expect(happens.getAllByText('office')).toHaveLength(1)
  await enter('Port', '8080')
  const added = await form.findByRole<HTMLInputElement>('checkbox', { name: /Add the missing rule to “default”/ })
  expect(added.checked).toBe(true)
  fireEvent.click(added)
  fireEvent.click(form.getByRole('button', { name: 'Publish port' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: /^Publish a port/ })).toBeNull(), pageTimeout)
  const table = within(await screen.findByRole('table', { name: 'Published ports' }, pageTimeout))
  await table.findByText('8080 TCP', {}, pageTimeout)
  const [published] = (await server.call(floatingIps.view, { as, params: { id: it!.id } })).published_ports!
  const link = table.getByRole('link', { name: `${published!.host_address}:${published!.host_port}` })
  expect(link.getAttribute('href')).toBe(`http://${published!.host_address}:${published!.host_port}`)
  table.getByText('Reachable only on the console host')

  // the missing rule was declined, so the port stays blocked even though the port is published on the host
  expect(await rulesAt(8080)).toEqual([])
  await table.findByText('Blocked', {}, pageTimeout)
  table.getByText('No inbound rule in the destination’s security groups allows the traffic')
  expect(table.queryByText('Open')).toBeNull()
  await press('Add the missing rule')
  await table.findByText('Open', {}, pageTimeout)
  expect(await rulesAt(8080)).toHaveLength(1)
  await press('Unpublish port 8080')
  await screen.findByText('No ports published yet.', {}, pageTimeout)

  // this time, let the form add the missing rule while it publishes the port
  await press('Publish port')
  await enter('Port', '8443')
  await (await dialog(`Publish a port on ${it!.floating_ip_address}`)).findByRole('checkbox', {}, pageTimeout)
  fireEvent.click(
    (await dialog(`Publish a port on ${it!.floating_ip_address}`)).getByRole('button', { name: 'Publish port' }),
  )
  const now = within(await screen.findByRole('table', { name: 'Published ports' }, pageTimeout))
  await now.findByText('8443 TCP', {}, pageTimeout)
  await now.findByText('Open', {}, pageTimeout)
  expect(await rulesAt(8443)).toHaveLength(1)
  await press('Unpublish port 8443')
  await screen.findByText('No ports published yet.', {}, pageTimeout)
  expect((await server.call(floatingIps.view, { as, params: { id: it!.id } })).published_ports).toEqual([])
})

it('unassigns and releases a floating IP from the list [UI-027]', long, async () => {
  const [{ id, floating_ip_address: address }] = (await server.call(floatingIps.list, { as })).data as [FloatingIp]
  await openPage(list, as)
  const row = within(await screen.findByRole('row', { name: address }, pageTimeout))
  await pressAndLoad(await row.findByRole('button', { name: `Actions for ${address}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Unassign' }, pageTimeout))
  await confirmDialog()
  await row.findByText('Not assigned', {}, pageTimeout)
  expect(await server.call(floatingIps.view, { as, params: { id } })).toMatchObject({ port_id: null })
  await deleteRow(address)
  await isGone(address)
  expect((await server.call(floatingIps.list, { as })).data).toEqual([])
})

it('tells the user whom to contact if no external network is available', { ...long, tags: 'all' }, async () => {
  const external = (await server.call(networks.list, { as, query: { router_external: true } })).data
  const own = (await server.call(routers.list, { as })).data
  for (const { id } of own)
    await server.call(routers.update, { as, params: { id }, body: { external_gateway_info: null } })
  for (const { id } of external)
    await server.call(networks.update, { as: 'superuser', params: { id }, body: { rbac_policies: [] } })
  await openPage(`${list}/add`, as)
  const wall = await dialog('No external network is available')
  wall.getByText(/Ask a system administrator to share an external network with this project/)
  expect(wall.queryByRole('alert')).toBeNull()
  await openPage('/compute/routers/add', as)
  const router = await dialog('Create router')
  await router.findByText(/Ask a system administrator to share an external network/, {}, pageTimeout)
})
