import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { expectAddress, dialog, enter, field, openPage, page, press, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/*
 * Tests networking from the perspective of operators: networks in all tenants, external networks, address usage and the
 * host.
 */

const long = { timeout: 120_000 }
const as = 'project-member'
const operator = 'superuser'
withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const list = '/compute/networks'
let front: Network
let twin: Network
beforeAll(async () => {
  const body = { name: 'front', subnets: [{ cidr: '192.168.80.0/24' }] }
  front = await server.call(networks.createPrivate, { as, body })
  twin = await server.call(networks.createPrivate, { as: 'other-member', body: { ...body, name: 'twin' } })
  for (const address of ['192.168.80.100', '192.168.80.20', '192.168.80.3'])
    await server.call(ports.create, {
      ...{ as, body: { network_id: front.id, name: 'mine', fixed_ips: [{ ip_address: address }] } },
    })
  await server.call(ports.create, {
    as: 'other-member',
    body: { network_id: twin.id, name: 'theirs', fixed_ips: [{ ip_address: '192.168.80.20' }] },
  })
})
const networkNamed = async (name: string) =>
  (await server.call(networks.list, { as: operator, query: { name: `exact:${name}` } })).data[0]

it(
  'lets operators create external networks and VLANs on the infrastructure [VA-056] [CA-154] [CA-155]',
  long,
  async () => {
    await openPage(`${list}/add`, operator)
    const first = await dialog('Create virtual network')
    await first.findByText(/^This network is limited to this host .* uses the host’s addresses\.$/, {}, pageTimeout)
    await enter('Name', 'office')
    await enter('IPv4 range', '203.0.113.0/24')
    await press('Create network')
    await expectAddress(list)
    await vi.waitFor(async () => expect(await networkNamed('office')).toBeDefined(), pageTimeout)
    expect(await networkNamed('office')).toMatchObject({
      type: 'flat',
      router_external: true,
      physical_network: 'public',
    })

    await openPage(`${list}/add`, operator)
    const second = await dialog('Create virtual network')
    fireEvent.click(await second.findByRole('radio', { name: /External VLAN/ }, pageTimeout))
    await second.findByText(
      /^This network is limited to this host .* Its VLANs exist only on this host\.$/,
      {},
      pageTimeout,
    )
    await enter('Name', 'lab')
    const vlan = await field('VLAN ID')
    for (const [typed, kept] of [
      ['0', '1'],
      ['4095', '4,094'],
      ['42', '42'],
    ] as const) {
      await enter('VLAN ID', typed)
      expect(vlan.value).toBe(kept)
    }
    await enter('IPv4 range', '198.51.100.0/24')
    await press('Create network')
    await expectAddress(list)
    await vi.waitFor(
      async () => expect(await networkNamed('lab')).toMatchObject({ type: 'vlan', vlan_id: 42 }),
      pageTimeout,
    )

    await openPage(`${list}/add`, as)
    const theirs = await dialog('Create virtual network')
    await theirs.findByLabelText('Name', {}, pageTimeout)
    expect(theirs.queryByRole('radio', { name: /External/ })).toBeNull()
  },
)

it("shows each network's project in the list for all tenants, which fits a page 1440 pixels wide", long, async () => {
  await openPage(list, operator)
  const row = within(await screen.findByRole('row', { name: 'front' }, pageTimeout))
  await row.findByText('alpha-one', {}, pageTimeout)
  const heads = screen.getAllByRole('columnheader').map((it) => it.textContent ?? '')
  expect(heads.some((it) => it.includes('Project'))).toBe(true)
  // the width that remains beside the pinned menu (240 px) and the page margins (48 px)
  const grid = screen.getByRole('row', { name: 'front' }).closest<HTMLElement>('[style*="min-inline-size"]')
  expect(Number.parseInt(grid!.style.getPropertyValue('min-inline-size'))).toBeLessThanOrEqual(1440 - 240 - 48)
  // a project's list has the column that is hidden here
  await openPage(list, as)
  await screen.findByRole('row', { name: 'front' }, pageTimeout)
  expect(screen.getAllByRole('columnheader').some((it) => it.textContent?.includes('Addresses in use'))).toBe(true)
})

it('turns a domain entered in the project filter into a separate filter with its own chip [VA-017]', long, async () => {
  await openPage(list, operator)
  await screen.findByRole('row', { name: 'twin' }, pageTimeout)
  const box = await screen.findByRole('combobox', { name: /^Search/ }, pageTimeout)
  fireEvent.change(box, { target: { value: `project:domain:${front.domain_id} ` } })
  await vi.waitFor(() => expect(screen.queryByRole('row', { name: 'twin' })).toBeNull(), pageTimeout)
  expect(screen.getByRole('row', { name: 'front' })).toBeTruthy()
  expect(new URLSearchParams(page!.address().split('?')[1]).get('domain_id')).toContain(front.domain_id)
  expect(screen.getByRole('button', { name: /Domain/ })).toBeTruthy()
})

it("lists the address usage of all tenants' subnets, fullest first", long, async () => {
  await openPage(`${list}/address-use`, operator)
  const table = within(await screen.findByRole('table', { name: 'Address usage' }, pageTimeout))
  await table.findByRole('link', { name: 'twin' }, pageTimeout)
  const names = table.getAllByRole('link').map((it) => it.textContent)
  expect(names.indexOf('front')).toBeLessThan(names.indexOf('twin'))
  const refused = await openPage(`${list}/address-use`, as)
  await vi.waitFor(() => expect(refused.address()).toMatch(/^\/error(403|404)$/), pageTimeout)
})

it("finds the owners of an address in all tenants' networks", long, async () => {
  await openPage(`${list}/who-has`, operator)
  await enter('IP address', '192.168.80')
  await enter('IP address', '192.168.80.20')
  const table = within(await screen.findByRole('table', { name: 'Find address owner' }, pageTimeout))
  for (const { id, name } of [front, twin])
    expect((await table.findByRole('link', { name }, pageTimeout)).getAttribute('href')).toBe(`${list}/${id}`)
  await table.findByText('alpha-one', {}, pageTimeout)
  await table.findByText('beta-one', {}, pageTimeout)
  await enter('IP address', '10.99.99.99')
  await screen.findByText('10.99.99.99 is not in use.', {}, pageTimeout)
})

it('shows the host checks and networking processes', long, async () => {
  await openPage(`${list}/host`, operator)
  const facts = within(await screen.findByRole('table', { name: 'Host checks' }, pageTimeout))
  const row = (await facts.findByRole('cell', { name: 'networks' }, pageTimeout)).closest('tr')!
  expect(within(row).getByText('OK')).toBeTruthy()
  expect(within(row).getByText('as an ordinary user')).toBeTruthy()
  const processes = within(await screen.findByRole('table', { name: 'Processes' }, pageTimeout))
  for (const name of ['capsule', 'uplink', 'metadata']) expect(processes.getByRole('cell', { name })).toBeTruthy()
  const refused = await openPage(`${list}/host`, as)
  await vi.waitFor(() => expect(refused.address()).toMatch(/^\/error(403|404)$/), pageTimeout)
})

it("sorts a network's ports numerically by address", long, async () => {
  await openPage(`${list}/${front.id}/ports`, as)
  const table = within(await screen.findByRole('table', { name: 'Ports' }, pageTimeout))
  await table.findByText('192.168.80.100', {}, pageTimeout)
  const addresses = table.getAllByText(/^192\.168\.80\.\d+$/).map((it) => it.textContent)
  expect(addresses).toEqual(['192.168.80.2', '192.168.80.3', '192.168.80.20', '192.168.80.100'])
})
