import { flavors } from '@mainstay/contract/compute/flavors'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks } from '@mainstay/contract/networking/networks'
import { networkService } from '@mainstay/contract/networking/network-service'
import { ports } from '@mainstay/contract/networking/ports'
import { routers, Router } from '@mainstay/contract/networking/routers'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { subnets } from '@mainstay/contract/networking/subnets'
import { tasks } from '@mainstay/contract/core/tasks'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

/* Networking calls in the format of command-line clients, on a complete server. Engine tests cover the rules. */

const as = 'project-member'
const operator = 'superuser'
const stranger = 'domain-admin@alpha-two'

let server: TestServer
let externalId: string
beforeAll(async () => {
  server = await startServer()
  const { id } = await server.call(networks.createPublic, {
    as: operator,
    body: {
      ...{ name: 'outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  })
  externalId = id
  await settled(() => server.call(networks.view, { as: operator, params: { id } }))
})
afterAll(() => server.close())

/** Waits until the row is ACTIVE. */
async function settled<Row extends { status: string }>(view: () => Promise<Row>): Promise<Row> {
  return vi.waitFor(
    async () => {
      const row = await view()
      expect(row.status).toBe('ACTIVE')
      return row
    },
    { timeout: 20_000, interval: 50 },
  )
}
const statusOf = async (sent: Promise<Response>) => (await sent).status
const refusal = { code: 'not_found' }
const newNetwork = (name: string, cidr: string) =>
  server.call(networks.createPrivate, { as, body: { name, subnets: [{ cidr }] } })

describe('networks', () => {
  it('creates a private network with a subnet and default or given settings [CA-156] [EN-040]', async () => {
    const made = await server.fetch(networks.createPrivate, {
      ...{ as, body: { name: 'backend', subnets: [{ cidr: '192.168.77.0/24' }] } },
    })
    expect(made.status).toBe(201)
    const network = networks.createPrivate.reply.parse(await made.json())
    expect(network).toMatchObject({
      ...{ name: 'backend', type: 'vxlan', router_external: false, vlan_id: null, mtu: 1450, ipam_enabled: true },
      subnets: [{ cidr: '192.168.77.0/24', ip_version: 4, gateway_ip: '192.168.77.1', enable_dhcp: true }],
    })
    expect(await server.call(networks.view, { as, params: { id: network.id } })).toMatchObject({ name: 'backend' })
    const others = { mtu: 1400, spoofing_protection: false }
    const small = await server.call(networks.createPrivate, { as, body: { name: 'small', ...others } })
    const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
    expect(small).toMatchObject({ ...others, subnets: [], shared: false, project_id, domain_id })
    await expect(server.call(networks.view, { as: stranger, params: { id: network.id } })).rejects.toMatchObject(
      refusal,
    )
    await expect(newNetwork('wrong', '192.168.78.5/24')).rejects.toMatchObject({
      ...{ code: 'validation', fields: { 'subnets.0.cidr': [expect.stringContaining('192.168.78.0/24')] } },
    })
  })

  it('lets operators, but not projects, create external networks in a task [CA-154]', async () => {
    const body = { name: 'office', physical_network: 'public', subnets: [{ cidr: '198.51.100.0/24' }] }
    expect(await statusOf(server.fetch(networks.createPublic, { as, body }))).toBe(403)
    const made = await server.fetch(networks.createPublic, { as: operator, body })
    expect(made.status).toBe(202)
    const { task_id, id, router_external, physical_network } = networks.createPublic.reply.parse(await made.json())
    expect([router_external, physical_network]).toEqual([true, 'public'])
    await expect
      .poll(() => server.call(tasks.view, { as: operator, params: { id: task_id } }), { timeout: 20_000 })
      .toMatchObject({ state: 'success' })
    await settled(() => server.call(networks.view, { as: operator, params: { id } }))
  })

  it('lets operators create networks with unique VLAN IDs from 1 to 4094 [CA-155] [VA-056] [EN-040]', async () => {
    const body = { name: 'lab', vlan_network: 'public', vlan_id: 1, subnets: [{ cidr: '198.18.1.0/24' }] }
    const rbac_policies = [{ target_project: '*', actions: ['routed' as const] }]
    expect(await statusOf(server.fetch(networks.createVlan, { as, body }))).toBe(403)
    const made = await server.call(networks.createVlan, { as: operator, body: { ...body, rbac_policies } })
    expect(made).toMatchObject({
      ...{ type: 'vlan', vlan_id: 1, router_external: true, physical_network: 'public', rbac_policies },
    })
    const last = { ...body, name: 'last', vlan_id: 4094, subnets: [{ cidr: '198.18.2.0/24' }] }
    expect((await server.call(networks.createVlan, { as: operator, body: last })).vlan_id).toBe(4094)
    await expect(
      server.call(networks.createVlan, { as: operator, body: { ...body, name: 'again' } }),
    ).rejects.toMatchObject({ code: 'vlan_in_use' })
    for (const vlan_id of [0, 4095])
      await expect(
        server.call(networks.createVlan, { as: operator, body: { ...body, vlan_id } }),
      ).rejects.toMatchObject({ code: 'validation', fields: { vlan_id: [expect.any(String)] } })
  })

  it('deletes a network only through the path for its kind, with or without its VLAN interfaces', async () => {
    const doomed = async (query: Record<string, string>) => {
      const { id } = await newNetwork('doomed', '192.168.90.0/24')
      const params = { id }
      for (const wrong of [networks.deletePublic, networks.deleteVlan])
        expect(await statusOf(server.fetch(wrong, { as, params, query }))).toBe(404)
      expect(await statusOf(server.fetch(networks.deleteOfKind, { as, params: { kind: 'private', id }, query }))).toBe(
        204,
      )
      await expect(server.call(networks.view, { as, params })).rejects.toMatchObject(refusal)
    }
    await doomed({ delete_vlan_interfaces: 'true' })
    await doomed({ params: '{"delete_vlan_interfaces": false}' })
  })

  it('reports the networking capabilities, and shows the state of the host to operators', async () => {
    const told = await server.call(networkService.view, { as })
    expect(told).toMatchObject({ unavailable: null, host: null, capabilities: { networks: true, routers: true } })
    expect((await server.call(networkService.view, { as: operator })).host).not.toBeNull()
  })
})

describe('subnets', () => {
  it('allows only one subnet per IP version [CA-066] [EN-041]', async () => {
    const { id } = await newNetwork('both', '192.168.79.0/24')
    const body = {
      network_id: id,
      cidr: 'fd00:79::/64',
      ipv6_address_mode: 'dhcpv6-stateful' as const,
      ipv6_ra_mode: 'dhcpv6-stateful' as const,
      ...{ allocation_pools: [{ start: 'fd00:79::10', end: 'fd00:79::ff' }], dns_nameservers: ['fd00:79::2'] },
    }
    const made = await server.call(subnets.create, { as, body })
    expect(made).toMatchObject({ ...body, ip_version: 6, gateway_ip: 'fd00:79::1', enable_dhcp: true })
    const { subnets: both } = await server.call(networks.view, { as, params: { id } })
    expect(both.map(({ ip_version }) => ip_version)).toEqual([4, 6])
    await expect(
      server.call(subnets.create, { as, body: { network_id: id, cidr: '192.168.81.0/24' } }),
    ).rejects.toMatchObject({ fields: expect.any(Object) })
    await expect(server.call(subnets.create, { as: stranger, body })).rejects.toMatchObject({
      fields: { network_id: [expect.any(String)] },
    })
  })

  it('updates the gateway, DHCP, pools and DNS servers of a subnet, but not its range [CA-067]', async () => {
    const network = await newNetwork('changing', '192.168.82.0/24')
    const params = { id: network.subnets[0]!.id }
    const body = { gateway_ip: '192.168.82.254', enable_dhcp: false, dns_nameservers: ['9.9.9.9'] }
    const changed = await server.call(subnets.update, { as, params, body })
    expect(changed).toMatchObject({ ...body, cidr: '192.168.82.0/24' })
    expect(await server.call(subnets.view, { as, params })).toMatchObject(body)
    await expect(
      server.call(subnets.update, { as, params, body: { gateway_ip: '192.168.83.1' } }),
    ).rejects.toMatchObject({ fields: { gateway_ip: [expect.any(String)] } })
    expect(await statusOf(server.fetch(subnets.update, { as: stranger, params, body }))).toBe(404)
  })
})

describe('routers', () => {
  it('are created with a gateway and networks, which the response includes [CA-058] [CA-059] [EN-042]', async () => {
    const network = await newNetwork('behind', '192.168.84.0/24')
    const made = await server.call(routers.create, {
      as,
      body: {
        ...{ name: 'edge', external_gateway_info: { network_id: externalId } },
        internal_interfaces: [{ network_id: network.id }],
      },
    })
    const params = { id: made.id }
    const router = await settled(() => server.call(routers.view, { as, params }))
    expect(Router.parse(router)).toEqual(router)
    const { project_id, domain_id } = network
    expect(router).toMatchObject({
      ...{ name: 'edge', project_id, domain_id, routes: [] },
      external_gateway_info: {
        ...{ network_id: externalId, network_name: 'outside', enable_snat: true },
        external_fixed_ips: [{ ip_address: expect.stringMatching(/^203\.0\.113\./) }],
      },
      interfaces_info: [{ network_id: network.id, fixed_ips: [{ ip_address: '192.168.84.1' }], is_external: false }],
      external_interface: { network_id: externalId, is_external: true },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    })
    const routes = [{ destination: '10.9.0.0/16', nexthop: '192.168.84.9' }]
    await server.call(routers.update, { as, params, body: { routes } })
    expect(await server.call(routers.view, { as, params })).toMatchObject({ routes })
    await expect(server.call(routers.view, { as: stranger, params })).rejects.toMatchObject(refusal)
  })

  it('are listed in their own project only and filtered by name and network [CA-057]', async () => {
    const names = async (who: typeof as | typeof stranger, query: Record<string, unknown> = {}) =>
      (await server.call(routers.list, { as: who, query })).data.map(({ name }) => name)
    expect(await names(as)).toEqual(['edge'])
    expect(await names(as, { external_network_id: externalId })).toEqual(['edge'])
    expect(await names(as, { name: 'nothing' })).toEqual([])
    expect(await names(stranger)).toEqual([])
  })

  it('update their name, gateway and routes with PATCH and PUT [CA-060]', async () => {
    const { id } = await server.call(routers.create, { as, body: { name: 'changing' } })
    const params = { id }
    expect(await server.call(routers.update, { as, params, body: { name: 'patched' } })).toMatchObject({
      name: 'patched',
    })
    const external_gateway_info = { network_id: externalId }
    const put = await server.call(routers.put, { as, params, body: { name: 'put', external_gateway_info } })
    expect(put).toMatchObject({ name: 'put', external_gateway_info: { network_id: externalId } })
    const off = await server.call(routers.update, { as, params, body: { external_gateway_info: null } })
    expect(off.external_gateway_info).toBeNull()
    await expect(
      server.call(routers.update, {
        as,
        params,
        body: { routes: [{ destination: '10.9.0.0/16', nexthop: '10.1.1.1' }] },
      }),
    ).rejects.toMatchObject({ code: 'nexthop_unreachable', fields: { 'routes.0.nexthop': [expect.any(String)] } })
    expect(await statusOf(server.fetch(routers.update, { as: stranger, params, body: { name: 'mine' } }))).toBe(404)
  })

  it('connect and disconnect networks and return their interfaces [CA-063] [CA-064]', async () => {
    const network = await newNetwork('joined', '192.168.85.0/24')
    const { id } = await server.call(routers.create, { as, body: { name: 'joining' } })
    const body = { network_id: network.id }
    const added = await server.call(routers.addInterface, { as, params: { id }, body })
    expect(added).toMatchObject({
      external_interface: null,
      internal_interfaces: [{ network_id: network.id, fixed_ips: [{ ip_address: '192.168.85.1' }] }],
    })
    expect(await server.call(routers.interfaces, { as, params: { id } })).toMatchObject({
      internal_interfaces: [{ network_id: network.id }],
    })
    await expect(server.call(routers.addInterface, { as: stranger, params: { id }, body })).rejects.toMatchObject(
      refusal,
    )
    const removed = await server.call(routers.removeInterface, { as, params: { id }, body })
    expect(removed).toEqual({ external_interface: null, internal_interfaces: [] })
  })

  it('are deleted only if no networks are connected, or together with their interfaces [CA-061]', async () => {
    const network = await newNetwork('held', '192.168.86.0/24')
    const { id } = await server.call(routers.create, {
      as,
      body: { name: 'doomed', internal_interfaces: [{ network_id: network.id }] },
    })
    const params = { id }
    await expect(server.call(routers.delete, { as, params })).rejects.toMatchObject({ code: 'router_in_use' })
    expect(await statusOf(server.fetch(routers.delete, { as: stranger, params }))).toBe(404)
    const begun = await server.fetch(routers.delete, { as, params, query: { interfaces: 'remove' } })
    expect(begun.status).toBe(202)
    await expect.poll(() => statusOf(server.fetch(routers.view, { as, params })), { timeout: 20_000 }).toBe(404)
    const { data } = await server.call(ports.list, { as, query: { network_id: network.id, device_id: id } })
    expect(data).toEqual([])
  })
})

describe('floating IPs', () => {
  it('show their target, are listed by address and belong to their project [CA-152] [EN-039]', async () => {
    const { data } = await server.call(networks.list, { as, query: { name: 'behind' } })
    const network = data[0]!
    const [flavor] = (await server.call(flavors.list, { as })).data
    const machine = await server.call(instances.create, {
      as,
      body: {
        ...{ name: 'shop', flavor: flavor!.id, networks: [{ id: network.id }] },
        volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
      },
    })
    const [port] = (await server.call(ports.list, { as, query: { device_id: machine.id } })).data
    const made = await server.call(floatingIps.create, {
      as,
      body: { floating_network_id: externalId, port_id: port!.id, description: 'shop' },
    })
    const [router] = (await server.call(routers.list, { as, query: { name: 'edge' } })).data
    const { project_id, domain_id } = network
    expect(made).toMatchObject({
      ...{ floating_network_id: externalId, floating_network_name: 'outside', project_id, domain_id },
      ...{
        fixed_ip_address: port!.fixed_ips[0]!.ip_address,
        port_id: port!.id,
        router_id: router!.id,
        status: 'ACTIVE',
      },
      floating_ip_address: expect.stringMatching(/^203\.0\.113\./),
      attachment: { object_name: 'shop', object_id: machine.id, device_owner: port!.device_owner },
      attached_to: 'shop',
    })
    const query = { floating_ip_address: made.floating_ip_address }
    expect((await server.call(floatingIps.list, { as, query })).data).toEqual([made])
    expect((await server.call(floatingIps.list, { as: stranger })).data).toEqual([])
    const off = await server.call(floatingIps.update, { as, params: { id: made.id }, body: { port_id: null } })
    expect(off).toMatchObject({
      port_id: null,
      fixed_ip_address: null,
      router_id: null,
      attachment: null,
      status: 'DOWN',
    })
    expect(await statusOf(server.fetch(floatingIps.delete, { as, params: { id: made.id } }))).toBe(204)
  })
})

describe('security groups', () => {
  it('are created, read, listed and updated by PATCH and PUT [CA-068] [CA-069] [CA-070] [CA-071] [EN-043]', async () => {
    const made = await server.call(securityGroups.create, { as, body: { name: 'web', description: 'lets in' } })
    const params = { id: made.id }
    expect(made).toMatchObject({
      ...{ name: 'web', description: 'lets in', project_id: expect.any(String), domain_id: expect.any(String) },
      security_group_rules: expect.arrayContaining([expect.objectContaining({ direction: 'egress' })]),
    })
    expect(await server.call(securityGroups.view, { as, params })).toEqual(made)
    const names = async (who: typeof as | typeof stranger, query: Record<string, unknown> = {}) =>
      (await server.call(securityGroups.list, { as: who, query })).data.map(({ name }) => name)
    expect(await names(as, { name: 'web' })).toEqual(['web'])
    expect(await names(stranger, { name: 'web' })).toEqual([])
    const patched = await server.call(securityGroups.update, { as, params, body: { name: 'www' } })
    expect(patched).toMatchObject({ name: 'www', description: 'lets in' })
    const put = await server.call(securityGroups.put, { as, params, body: { description: 'put' } })
    expect(put).toMatchObject({ name: 'www', description: 'put' })
    await expect(server.call(securityGroups.view, { as: stranger, params })).rejects.toMatchObject(refusal)
  })

  it('add and remove rules, with or without a trailing slash in the path [CA-073] [CA-074] [EN-043]', async () => {
    const { id } = await server.call(securityGroups.create, { as, body: { name: 'rules' } })
    const body = {
      ...{ security_group_id: id, direction: 'ingress' as const, protocol: 'TCP' },
      ...{ port_range_min: '443', port_range_max: 443, remote_ip_prefix: '10.0.0.0/8' },
    }
    const made = await server.call(securityGroupRules.create, { as, body })
    expect(made).toMatchObject({
      ...{ direction: 'ingress', security_group_id: id },
      protocol: 'tcp',
      port_range_min: 443,
      remote_ip_prefix: '10.0.0.0/8',
      ethertype: 'IPv4',
    })
    // creating the same rule again returns the existing rule
    expect((await server.call(securityGroupRules.create, { as, body })).id).toBe(made.id)
    const ofGroup = async () =>
      (await server.call(securityGroups.view, { as, params: { id } })).security_group_rules.map((rule) => rule.id)
    expect(await ofGroup()).toContain(made.id)
    await expect(
      server.call(securityGroupRules.create, { as, body: { ...body, port_range_min: 9000 } }),
    ).rejects.toMatchObject({ code: 'invalid_port_range', fields: { port_range_max: [expect.any(String)] } })
    const headers = { 'x-auth-token': await server.signIn(as) }
    const address = `${server.url}/api/v2/compute/security-group-rules/${made.id}/`
    const foreign = { 'x-auth-token': await server.signIn(stranger) }
    expect((await fetch(address, { method: 'DELETE', headers: foreign })).status).toBe(404)
    expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204)
    expect(await ofGroup()).not.toContain(made.id)
  })

  it('are deleted unless a port uses them or they are default groups [CA-072]', async () => {
    const { id } = await server.call(securityGroups.create, { as, body: { name: 'doomed' } })
    const network = await newNetwork('grouped', '192.168.87.0/24')
    const body = { network_id: network.id, security_groups: [id] }
    const port = await server.call(ports.create, { as, body })
    await expect(server.call(securityGroups.delete, { as, params: { id } })).rejects.toMatchObject({
      code: 'security_group_in_use',
    })
    await server.call(ports.delete, { as, params: { id: port.id } })
    expect(await statusOf(server.fetch(securityGroups.delete, { as: stranger, params: { id } }))).toBe(404)
    expect(await statusOf(server.fetch(securityGroups.delete, { as, params: { id } }))).toBe(204)
    const [first] = (await server.call(securityGroups.list, { as, query: { name: 'default' } })).data
    await expect(server.call(securityGroups.delete, { as, params: { id: first!.id } })).rejects.toMatchObject({
      code: 'security_group_protected',
    })
  })
})
