import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { Network, networks } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { routers } from '@mainstay/contract/networking/routers'
import { Subnet, subnets } from '@mainstay/contract/networking/subnets'
import { page } from '@mainstay/contract/core/lists/paging'
import { tasks } from '@mainstay/contract/core/tasks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'project-member'

let server: TestServer
let own: Network
beforeAll(async () => {
  server = await startServer()
  own = network('net-1', 'vlan', { vlan_id: 17, physical_network: 'rack' })
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const row of [own, network('net-2', 'flat'), network('net-3', 'vxlan')]) await records.put('network', row)
    await records.put('network', network('net-4', 'vxlan', { ...owner('beta-one'), rbac_policies: [] }))
    for (const row of own.subnets) await records.put('subnet', row)
  })
})
afterAll(() => server.close())

const owner = (project: string) => {
  const { id, domain_id } = server.cast.projects[project]!
  return { project_id: id, domain_id }
}
const created_at = '2026-11-21T21:00:00.000Z'
const subnet = (id: string, network_id: string): Subnet => ({
  ...{ id, name: `${id} IPv6`, network_id, cidr: 'fd00::/64', ip_version: 6 },
  allocation_pools: [{ start: 'fd00::10', end: 'fd00::ff' }],
  ...{ dns_nameservers: ['fd00::2'], gateway_ip: 'fd00::1', enable_dhcp: true },
  ...{ ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' },
  ...{ shared: false, ...owner('alpha-one'), created_at },
})
const network = (id: string, type: Network['type'], more: Partial<Network> = {}): Network => ({
  ...{ id, name: id, status: 'ACTIVE', type, subnets: [subnet(`${id}-6`, id)] },
  ...{ shared: false, ipam_enabled: true, router_external: false, physical_network: null, vlan_id: null, mtu: 1450 },
  rbac_policies: [{ target_project: server.cast.projects['alpha-two']!.id, actions: ['direct'] }],
  ...{ spoofing_protection: true, default_vnic_type: 'normal' },
  ...{ ...owner('alpha-one'), created_at, ...more },
})

it('lists networks page by page, including networks shared by other projects [CA-153]', async () => {
  const query = { name: 'net-', sort: 'name:desc', limit: 2, with_count: true }
  const first = await server.call(networks.list, { as, query })
  expect(page(networks.view.reply).parse(first)).toEqual(first)
  expect([first.count, first.data.map(({ name }) => name)]).toEqual([3, ['net-3', 'net-2']])
  const marker = (first.pages[0] as { marker: string }).marker
  const second = await server.call(networks.list, { as, query: { ...query, marker } })
  expect([second.data.map(({ name }) => name), second.pages]).toEqual([['net-1'], []])
  const flat = await server.call(networks.list, { as, query: { type: 'in:flat', name: 'net-' } })
  expect(flat.data.map(({ name }) => name)).toEqual(['net-2'])
  const shared = await server.call(networks.list, { as: 'domain-admin@alpha-two', query: { name: 'net-' } })
  expect(shared.data.map(({ name }) => name)).toEqual(['net-1', 'net-2', 'net-3'])
  expect((await server.fetch(networks.list)).status).toBe(401)
})

it('shows the type, subnets and sharing of a network, and to operators its physical network [EN-040]', async () => {
  const told = (who: 'superuser' | typeof as) => server.call(networks.view, { as: who, params: { id: own.id } })
  const { physical_network: _, ...others } = own
  expect(await told(as)).toEqual(others)
  expect(await told('superuser')).toEqual(own)
  // the contract includes all fields
  expect(Network.parse(own)).toEqual(own)
  const { data } = await server.call(networks.list, { as, query: { name: 'net-', sort: 'name:asc' } })
  expect(data.map(({ type, vlan_id }) => [type, vlan_id])).toEqual([
    ['vlan', 17],
    ['flat', null],
    ['vxlan', null],
  ])
})

it('shows the addresses of a subnet and how guests obtain them [EN-041]', async () => {
  const [told] = (await server.call(subnets.list, { as, query: { network_id: own.id } })).data
  expect(told).toEqual(own.subnets[0])
  expect(Subnet.parse(told)).toEqual(told)
  expect(await server.call(subnets.view, { as, params: { id: told!.id } })).toEqual(told)
})

const operator = 'superuser'
/** Creates an external network with the given policies and waits until it is ACTIVE. */
async function external(name: string, cidr: string, rbac_policies: unknown, vlan_id?: number): Promise<Network> {
  const body = { name, subnets: [{ cidr }], rbac_policies } as never
  const { id } =
    vlan_id === undefined
      ? await server.call(networks.createPublic, {
          as: operator,
          body: { ...(body as {}), physical_network: 'public' } as never,
        })
      : await server.call(networks.createVlan, {
          as: operator,
          body: { ...(body as {}), vlan_network: 'public', vlan_id } as never,
        })
  return vi.waitFor(
    async () => {
      const row = await server.call(networks.view, { as: operator, params: { id } })
      expect(row.status).toBe('ACTIVE')
      return row
    },
    { timeout: 20_000, interval: 50 },
  )
}

it('grants direct, routed or full access to one project or to all projects [VA-070] [VA-071]', async () => {
  const shared = await external('shared', '198.51.100.0/24', [])
  const params = { id: shared.id }
  const mine = owner('alpha-one').project_id
  const stranger = 'other-member'
  /** Returns whether a user can attach a port to the network, allocate a floating IP on it and use it as a gateway. */
  async function uses(who: typeof as | typeof stranger) {
    const sent = await Promise.all([
      server.fetch(ports.create, { as: who, body: { network_id: shared.id } }),
      server.fetch(floatingIps.create, { as: who, body: { floating_network_id: shared.id } }),
      server.fetch(routers.create, {
        as: who,
        body: { name: 'out', external_gateway_info: { network_id: shared.id } },
      }),
    ])
    const [port, floating, router] = await Promise.all(sent.map(async (it) => (await it.json()) as { id: string }))
    const done = sent.map(({ ok }) => ok)
    if (done[0]) await server.call(ports.delete, { as: who, params: port! })
    if (done[1]) await server.call(floatingIps.delete, { as: who, params: floating! })
    if (done[2]) {
      await server.call(routers.delete, { as: who, params: router! })
      await vi.waitFor(
        async () => expect((await server.fetch(routers.view, { as: who, params: router! })).status).toBe(404),
        { timeout: 20_000 },
      )
    }
    return done
  }
  const share = (rbac_policies: unknown) =>
    server.call(networks.update, { as: operator, params, body: { rbac_policies } as never })

  expect(await uses(as)).toEqual([false, false, false])
  await share([{ target_project: mine, actions: ['direct'] }])
  expect([await uses(as), await uses(stranger)]).toEqual([
    [true, false, false],
    [false, false, false],
  ])
  await share([{ target_project: '*', actions: ['routed'] }])
  expect([await uses(as), await uses(stranger)]).toEqual([
    [false, true, true],
    [false, true, true],
  ])
  await share([{ target_project: mine, actions: ['routed', 'direct'] }])
  expect([await uses(as), await uses(stranger)]).toEqual([
    [true, true, true],
    [false, false, false],
  ])
})

it('deletes an external network without a VLAN only through the path for public networks', async () => {
  const { id } = await external('flat', '198.18.6.0/24', [])
  const given = { as: operator, params: { id } } as const
  expect((await server.fetch(networks.deleteOfKind, { ...given, params: { kind: 'private', id } })).status).toBe(404)
  expect((await server.fetch(networks.deleteVlan, given)).status).toBe(404)
  expect(await server.call(networks.deletePublic, given)).toEqual({ task_id: expect.any(String) })
  expect((await server.fetch(networks.view, given)).status).toBe(404)
})

it('deletes the host’s VLAN interfaces together with the network unless the query disables it [CA-157]', async () => {
  const asked = vi.spyOn(server.tools.ports.networking.networks, 'delete')
  try {
    for (const [query, vlanInterfaces] of [
      [{}, true],
      [{ delete_vlan_interfaces: 'true' }, true],
      [{ delete_vlan_interfaces: 'false' }, false],
      [{ params: '{"delete_vlan_interfaces": false}' }, false],
    ] as const) {
      const { id } = await external('in a VLAN', '198.18.7.0/24', [], 77)
      const given = { as: operator, params: { id }, query } as const
      expect((await server.fetch(networks.deleteOfKind, { ...given, params: { kind: 'private', id } })).status).toBe(
        404,
      )
      const { task_id } = await server.call(networks.deleteVlan, given)
      await vi.waitFor(async () => {
        const task = await server.call(tasks.view, { as: operator, params: { id: task_id } })
        expect(task).toMatchObject({ name: 'compute.network.delete', state: 'success', args: [{ id }] })
      })
      expect(asked).toHaveBeenLastCalledWith(expect.anything(), id, { vlanInterfaces })
      expect((await server.fetch(networks.view, { as: operator, params: { id } })).status).toBe(404)
    }
  } finally {
    asked.mockRestore()
  }
})
