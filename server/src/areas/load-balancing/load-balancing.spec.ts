import { quotas } from '@mainstay/contract/compute/quotas'
import { tasks } from '@mainstay/contract/core/tasks'
import { lbFlavorProfiles, lbFlavors } from '@mainstay/contract/load-balancing/flavors'
import { loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancingService } from '@mainstay/contract/load-balancing/load-balancing-service'
import { loadBalancerPools } from '@mainstay/contract/load-balancing/pools'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { routers } from '@mainstay/contract/networking/routers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeTestCertificate } from '../../testing/certificates/certificates'
import { startServer, type TestServer } from '../../testing/start-server'

/*
 * Load balancers through the API of a complete server. Their instances are simulated; engine tests cover the traffic.
 */

const as = 'project-member'
const operator = 'superuser'
const stranger = 'domain-admin@alpha-two'
const unhurried = { timeout: 20_000, interval: 50 }

let server: TestServer
let network: string
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
  await vi.waitFor(async () => {
    expect((await server.call(networks.view, { as: operator, params: { id } })).status).toBe('ACTIVE')
  }, unhurried)
  const inner = await server.call(networks.createPrivate, {
    ...{ as, body: { name: 'inner', subnets: [{ cidr: '10.0.0.0/24' }, { cidr: 'fd00:1::/64' }] } },
  })
  network = inner.id
  await server.call(routers.create, {
    as,
    body: {
      ...{ name: 'edge', external_gateway_info: { network_id: externalId } },
      internal_interfaces: [{ network_id: network }],
    },
  })
})
afterAll(() => server.close())

const make = (more: object = {}) =>
  server.call(loadBalancers.create, { as, body: { name: 'shop', network_id: network, ...more } })
const view = (id: string) => server.call(loadBalancers.view, { as, params: { id } })
const poolAt = (id: string) => server.call(loadBalancerPools.view, { as, params: { id } })
const settled = (id: string, status = 'ACTIVE') =>
  vi.waitFor(async () => {
    const balancer = await view(id)
    expect(balancer.status).toBe(status)
    return balancer
  }, unhurried)
async function made(more: object = {}) {
  const { id } = await make(more)
  return settled(id)
}
async function gone(id: string) {
  await server.call(loadBalancers.delete, { as, params: { id } })
  await vi.waitFor(() => expect(view(id)).rejects.toMatchObject({ code: 'not_found' }), unhurried)
}
const addPool = (loadbalancer_id: string, more: object = {}) =>
  server.call(loadBalancerPools.create, {
    as,
    body: { loadbalancer_id, protocol: 'HTTP', protocol_port: 80, ...more } as never,
  })
const changePool = (id: string, body: object) => server.call(loadBalancerPools.update, { as, params: { id }, body })
const field = (code: string, ...names: string[]) => ({
  code,
  fields: Object.fromEntries(names.map((name) => [name, [expect.any(String)]])),
})

describe('a load balancer', () => {
  it('is created in a task, lists its amphorae and is deleted together with its pools and port [EN-048]', async () => {
    const sent = await server.fetch(loadBalancers.create, {
      as,
      body: {
        ...{ name: 'web', network_id: network, address: '10.0.0.50' },
        pools: [
          { protocol: 'HTTP', protocol_port: 80, members: [{ address: '10.0.0.11' }] },
          { protocol: 'TCP', protocol_port: 5432, members: [{ address: '10.0.0.11' }, { address: '10.0.0.12' }] },
        ],
      },
    })
    expect(sent.status).toBe(202)
    const { id, status } = loadBalancers.create.reply.parse(await sent.json())
    expect(status).toBe('CREATING')
    const balancer = await settled(id)
    expect(balancer).toMatchObject({
      ...{ address: '10.0.0.50', network_name: 'inner', enabled: true, ha_enabled: false, members_count: 3 },
      amphorae: [{ role: 'STANDALONE', active: true, compute_id: expect.any(String) }],
      pools: [{ name: 'HTTP-80' }, { name: 'TCP-5432' }],
      ...{ status: 'ACTIVE', flavor_id: expect.any(String), project_id: expect.any(String) },
    })
    expect(await server.call(ports.view, { as, params: { id: balancer.port_id } })).toMatchObject({
      ...{ device_id: id, device_name: 'web', fixed_ips: [{ ip_address: '10.0.0.50' }] },
    })
    await expect(server.call(networks.delete, { as, params: { id: network } })).rejects.toMatchObject({
      code: 'network_in_use',
    })
    await expect(
      server.call(ports.update, { as, params: { id: balancer.port_id }, body: { admin_state_up: false } }),
    ).rejects.toMatchObject({ code: 'port_in_use' })
    const pool = balancer.pools[0]!.id
    await gone(id)
    await expect(poolAt(pool)).rejects.toMatchObject({ code: 'not_found' })
    await expect(server.call(ports.view, { as, params: { id: balancer.port_id } })).rejects.toMatchObject({
      code: 'not_found',
    })
    const list = await server.call(tasks.list, { as, query: { name: 'compute.load_balancer.create' } as never })
    expect(list.data.map(({ state }) => state)).toContain('success')
  })

  it('is listed with its pools and filters, in its own project only [CA-158] [CA-159]', async () => {
    expect([loadBalancers.list, loadBalancerPools.list].map(({ verb, path }) => `${verb} ${path}`)).toEqual([
      'GET /api/v2/compute/lbaas/loadbalancers',
      'GET /api/v2/compute/lbaas/pools',
    ])
    const { id } = await made({ name: 'listed', pools: [{ protocol: 'TCP', protocol_port: 5432 }] })
    const balancers = await server.call(loadBalancers.list, { as, query: { name: 'listed' } as never })
    expect(balancers.data.map((row) => row.id)).toEqual([id])
    const pools = await server.call(loadBalancerPools.list, { as, query: { loadbalancer_id: id } as never })
    expect(pools.data).toMatchObject([{ loadbalancer_name: 'listed', protocol: 'TCP', backend_protocol_port: 5432 }])
    expect((await server.call(loadBalancers.list, { as: stranger })).data).toEqual([])
    expect((await server.call(loadBalancerPools.list, { as: stranger })).data).toEqual([])
    for (const call of [loadBalancers.view, loadBalancers.stats, loadBalancers.delete, loadBalancers.recreate])
      await expect(server.call(call, { as: stranger, params: { id } })).rejects.toMatchObject({ code: 'not_found' })
    const poolId = pools.data[0]!.id
    await expect(
      server.call(loadBalancerPools.update, { as: stranger, params: { id: poolId }, body: { enabled: false } }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      server.call(loadBalancerPools.create, {
        ...{ as: stranger, body: { loadbalancer_id: id, protocol: 'HTTP', protocol_port: 81 } },
      }),
    ).rejects.toMatchObject(field('validation', 'loadbalancer_id'))
    await gone(id)
  })

  it('can be disabled, enabled and renamed, which updates its port and pools', async () => {
    const { id, port_id } = await made({ pools: [{ protocol: 'HTTP', protocol_port: 80 }] })
    const change = (body: object) => server.call(loadBalancers.update, { as, params: { id }, body })
    expect((await change({ enabled: false })).status).toBe('CONFIGURING')
    await settled(id, 'DISABLED')
    await change({ name: 'renamed', enabled: true })
    const { pools } = await settled(id)
    expect((await poolAt(pools[0]!.id)).loadbalancer_name).toBe('renamed')
    expect((await server.call(ports.view, { as, params: { id: port_id } })).device_name).toBe('renamed')
    await gone(id)
  })

  it('can use an existing or a new floating IP, and each of them refers to the other', async () => {
    const first = await server.call(floatingIps.create, { as, body: { floating_network_id: externalId } })
    const { id } = await made({ floating_ip: first.floating_ip_address })
    expect(await view(id)).toMatchObject({ floating_ip: first.floating_ip_address, floating_ip_id: first.id })
    expect(await server.call(floatingIps.view, { as, params: { id: first.id } })).toMatchObject({
      attachment: { object_id: id, object_name: 'shop' },
    })
    await server.call(floatingIps.update, { as, params: { id: first.id }, body: { port_id: null } })
    expect((await view(id)).floating_ip).toBeNull()
    const change = (floating_ip: string | null) =>
      server.call(loadBalancers.update, { as, params: { id }, body: { floating_ip } })
    expect((await change(first.id)).floating_ip).toBe(first.floating_ip_address)
    expect((await change(null)).floating_ip).toBeNull()
    await expect(change('203.0.113.99')).rejects.toMatchObject(field('validation', 'floating_ip'))
    await gone(id)

    const other = await made({ floating_network_id: externalId })
    expect(other.floating_ip).toMatch(/^203\.0\.113\./)
    await expect(make({ floating_ip: other.floating_ip })).rejects.toMatchObject(field('conflict', 'floating_ip'))
    await gone(other.id)
    expect((await server.call(floatingIps.view, { as, params: { id: other.floating_ip_id! } })).status).toBe('DOWN')
  })

  it('reports invalid input on its field', async () => {
    const refused = (more: object, code: string, ...names: string[]) =>
      expect(make(more)).rejects.toMatchObject(field(code, ...names))
    await refused({ name: 'x' }, 'validation', 'name')
    await refused({ network_id: 'nowhere' }, 'validation', 'network_id')
    await refused({ address: '10.9.0.1' }, 'validation', 'address')
    await refused({ address: '10.0.0.1' }, 'ip_address_in_use', 'address')
    await refused({ ip_version: 6, address: '10.0.0.9' }, 'validation', 'address')
    await refused({ ip_version: 5 }, 'validation', 'ip_version')
    await refused({ flavor_id: 'none' }, 'validation', 'flavor_id')
    await refused({ floating_network_id: network }, 'not_routable', 'floating_network_id')
    const twice = [
      { protocol: 'HTTP', protocol_port: 80 },
      { protocol: 'TCP', protocol_port: 80 },
    ]
    await refused({ pools: twice }, 'validation', 'pools.1.protocol_port')
    const lost = [
      { protocol: 'HTTP', protocol_port: 80, members: [{ address: '10.0.0.11' }, { address: '172.16.0.1' }] },
    ]
    await refused({ pools: lost }, 'lb_member_unreachable', 'pools.0.members.1.address')
    // no part of a refused load balancer is left behind
    expect((await server.call(loadBalancers.list, { as })).data).toEqual([])
  })

  it('counts towards the quota of its project', async () => {
    const { project_id } = (await server.call(routers.list, { as })).data[0]!
    const set = (limit: number) =>
      server.call(quotas.set, {
        as: operator,
        params: { id: project_id },
        body: { lbaas: { loadbalancer: { limit } } },
      })
    await set(1)
    const { id } = await made()
    await expect(make()).rejects.toMatchObject(field('quota_exceeded', 'name'))
    const shown = await server.call(quotas.view, { as, params: { id: project_id }, query: { usage: 'true' } })
    expect(shown.lbaas.loadbalancer).toEqual({ limit: 1, used: 1 })
    await set(10)
    await gone(id)
  })

  it('can be failed over by operators only and recreated only in the error state', async () => {
    const { id, amphorae } = await made()
    const failover = (who: string) => server.call(loadBalancers.failover, { as: who as never, params: { id } })
    await expect(failover(as)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await failover(operator)).status).toBe('CREATING')
    const after = await settled(id)
    expect(after.amphorae[0]!.id).not.toBe(amphorae[0]!.id)
    await expect(server.call(loadBalancers.recreate, { as, params: { id } })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await gone(id)
  })

  it('gets the topology defined by its flavor [CA-160] [CA-161] [EN-050] [EN-051] [CO-065]', async () => {
    expect([lbFlavors.list, lbFlavorProfiles.list].map(({ verb, path }) => `${verb} ${path}`)).toEqual([
      'GET /api/v2/compute/lbaas/flavors',
      'GET /api/v2/compute/lbaas/flavorprofiles',
    ])
    const profiles = await server.call(lbFlavorProfiles.list, { as })
    const topologyOf = (flavor_profile_id: string) =>
      profiles.data.find(({ id }) => id === flavor_profile_id)?.flavor_data.loadbalancer_topology
    const flavors = (await server.call(lbFlavors.list, { as })).data
    expect(flavors.map((one) => `${topologyOf(one.flavor_profile_id)} ${one.enabled}`).toSorted()).toEqual([
      'ACTIVE_STANDBY true',
      'SINGLE true',
    ])
    for (const { id: flavor_id, flavor_profile_id } of flavors) {
      const ha_enabled = topologyOf(flavor_profile_id) === 'ACTIVE_STANDBY'
      const chosen = await made({ flavor_id, ha_enabled })
      expect(chosen).toMatchObject({ flavor_id, ha_enabled })
      expect(chosen.amphorae).toHaveLength(ha_enabled ? 2 : 1)
      await gone(chosen.id)
      const usual = await made({ ha_enabled })
      expect(usual.flavor_id).toBe(flavor_id)
      await gone(usual.id)
      await expect(make({ flavor_id, ha_enabled: !ha_enabled })).rejects.toMatchObject(field('validation', 'flavor_id'))
    }
    expect(await server.call(loadBalancingService.view, { as })).toMatchObject({
      ...{ unavailable: null, capabilities: { load_balancers: true, high_availability: true } },
    })
  })

  it('has one MASTER and one BACKUP even after a failover, or a single STANDALONE [CO-066]', async () => {
    const alone = await made()
    expect(alone.amphorae).toMatchObject([{ role: 'STANDALONE', active: true }])
    await gone(alone.id)
    const { id } = await made({ ha_enabled: true })
    const pair = () =>
      vi.waitFor(async () => {
        const { amphorae } = await view(id)
        expect(amphorae.map(({ role, active }) => `${role} ${active}`).toSorted()).toEqual([
          'BACKUP false',
          'MASTER true',
        ])
        return Object.fromEntries(amphorae.map((one) => [one.role, one.id]))
      }, unhurried)
    const before = await pair()
    await server.call(loadBalancers.failover, { as: operator, params: { id } })
    await settled(id)
    const after = await pair()
    expect(Object.values(after)).toContain(before['BACKUP'])
    expect(Object.values(after)).not.toContain(before['MASTER'])
    await gone(id)
  })
})

describe('a pool', () => {
  let id: string
  beforeAll(async () => {
    id = (await made({ name: 'pools', address: '10.0.0.60' })).id
  })
  afterAll(() => gone(id))

  const refused = (more: object, code: string, ...names: string[]) =>
    expect(addPool(id, more)).rejects.toMatchObject(field(code, ...names))

  it('has defaults that depend on its protocol, which cannot be changed', async () => {
    const web = await addPool(id)
    expect(web).toMatchObject({
      ...{ status: 'CREATING', enabled: true, backend_protocol: 'HTTP', backend_protocol_port: 80 },
      ...{ lb_algorithm: 'LEAST_CONNECTIONS', connection_limit: -1, sticky_session: false, healthmonitor: null },
      insert_headers: { 'X-Forwarded-For': true, 'X-Forwarded-Port': true, 'X-Forwarded-Proto': true },
    })
    await vi.waitFor(async () => expect((await poolAt(web.id)).status).toBe('ACTIVE'), unhurried)
    await expect(changePool(web.id, { protocol: 'TCP' })).rejects.toMatchObject({ code: 'validation' })
    await expect(changePool(web.id, { tls_enabled: true })).rejects.toMatchObject(field('validation', 'tls_enabled'))
    await refused({ protocol: 'TCP' }, 'port_in_use', 'protocol_port')
    // UDP and TCP ports do not conflict with each other
    const udp = await addPool(id, { protocol: 'UDP-CONNECT' })
    expect(udp).toMatchObject({ protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN', insert_headers: {} })
    for (const pool of [web, udp]) await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
    await settled(id)
    expect((await view(id)).pools).toEqual([])
  })

  it('stores and returns all its settings [EN-049]', async () => {
    const settings = {
      ...{ name: 'front', description: 'of the shop', enabled: false, connection_limit: 500, sticky_session: true },
      ...{ lb_algorithm: 'SOURCE_IP', backend_protocol: 'TCP', backend_protocol_port: 8443 },
      ...{ proxy_protocol_enabled: true, tls_enabled: false, insert_headers: {}, allowed_cidrs: ['192.0.2.0/24'] },
      ...{ protocol: 'TCP', protocol_port: 8000 },
      healthmonitor: {
        ...{
          type: 'HTTPS',
          url_path: '/health',
          delay: 7,
          timeout: 2,
          max_retries: 1,
          max_retries_down: 4,
          enabled: true,
        },
      },
    }
    const { id: poolId } = await addPool(id, { ...settings, members: [{ address: '10.0.0.11', weight: 3 }] })
    const pool = await poolAt(poolId)
    expect(pool).toMatchObject({
      ...settings,
      ...{ loadbalancer_id: id, status: expect.stringMatching(/CREATING|ACTIVE/) },
      members: [{ address: '10.0.0.11', weight: 3, enabled: true }],
    })
    await server.call(loadBalancerPools.delete, { as, params: { id: poolId } })
  })

  it('supports only these algorithms [CO-064]', async () => {
    for (const [at, lb_algorithm] of ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP'].entries()) {
      const pool = await addPool(id, { protocol_port: 8100 + at, lb_algorithm })
      expect(pool.lb_algorithm).toBe(lb_algorithm)
      await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
    }
    for (const lb_algorithm of ['RANDOM', 'round_robin', ''])
      await refused({ lb_algorithm }, 'validation', 'lb_algorithm')
    // only OVN supports this algorithm
    await refused({ lb_algorithm: 'SOURCE_IP_PORT' }, 'unsupported', 'lb_algorithm')
  })

  it('supports health checks with each protocol [CO-067]', async () => {
    for (const [at, type] of ['HTTP', 'HTTPS', 'TCP', 'UDP-CONNECT', 'PING'].entries()) {
      const protocol = type === 'UDP-CONNECT' ? 'UDP' : 'HTTP'
      const pool = await addPool(id, { protocol, protocol_port: 8200 + at, healthmonitor: { type } })
      expect(pool.healthmonitor).toMatchObject({ type, delay: 5, timeout: 3, max_retries: 3, max_retries_down: 3 })
      await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
    }
    await refused({ healthmonitor: { type: 'SCTP' } }, 'validation', 'healthmonitor.type')
  })

  it('limits the number of connections to 2e9 [CO-070]', async () => {
    const pool = await addPool(id, { connection_limit: 2e9 })
    expect(pool.connection_limit).toBe(2e9)
    await refused({ protocol_port: 81, connection_limit: 2e9 + 1 }, 'validation', 'connection_limit')
    await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
  })

  it('reports invalid combinations and values that are out of range on their field', async () => {
    await refused({ protocol: 'HTTP', backend_protocol: 'TCP' }, 'validation', 'backend_protocol')
    await refused({ protocol: 'TCP', tls_enabled: true }, 'validation', 'tls_enabled')
    await refused({ protocol: 'HTTPS', tls_enabled: true }, 'validation', 'certificate', 'private_key')
    await refused({ protocol: 'HTTPS', sticky_session: true }, 'validation', 'sticky_session')
    await refused({ protocol: 'UDP', sticky_session: true }, 'validation', 'sticky_session')
    await refused({ proxy_protocol_enabled: true }, 'validation', 'proxy_protocol_enabled')
    await refused(
      { protocol: 'TCP', insert_headers: { 'X-Forwarded-For': true } },
      'validation',
      'insert_headers.X-Forwarded-For',
    )
    await refused({ insert_headers: { 'X-SSL-Issuer': true } }, 'validation', 'insert_headers.X-SSL-Issuer')
    await refused({ insert_headers: { 'X-Evil': true } }, 'validation', 'insert_headers.X-Evil')
    await refused({ protocol: 'UDP', lb_algorithm: 'LEAST_CONNECTIONS' }, 'unsupported', 'lb_algorithm')
    for (const protocol_port of [0, 65_536, 'ssh']) await refused({ protocol_port }, 'validation', 'protocol_port')
    for (const connection_limit of [0, -2, 2_000_000_001, 1.5])
      await refused({ connection_limit }, 'validation', 'connection_limit')
    for (const cidr of ['10.0.0.5/24', '10.0.0.0', '10.0.0.0/33', 'everybody', ''])
      await refused({ allowed_cidrs: ['192.0.2.0/24', cidr] }, 'validation', 'allowed_cidrs.1')
    await refused({ allowed_cidrs: ['fd00::/8'] }, 'validation', 'allowed_cidrs.0')
    const monitored = (monitor: object, name: string, more: object = {}) =>
      refused({ healthmonitor: { type: 'HTTP', ...monitor }, ...more }, 'validation', `healthmonitor.${name}`)
    await monitored({ delay: 3, timeout: 3 }, 'timeout')
    await monitored({ max_retries: 11 }, 'max_retries')
    await monitored({ max_retries_down: 0 }, 'max_retries_down')
    await monitored({ url_path: 'health' }, 'url_path')
    await monitored({ url_path: '/a b' }, 'url_path')
    await monitored({ type: 'TCP', url_path: '/' }, 'url_path')
    await monitored({ type: 'GOPHER' }, 'type')
    await monitored({ type: 'TCP' }, 'type', { protocol: 'UDP' })
    await monitored({ type: 'UDP-CONNECT' }, 'type')
    const withMember = (member: object, code: string, name: string) =>
      refused({ members: [{ address: '10.0.0.11' }, { address: '10.0.0.12', ...member }] }, code, `members.1.${name}`)
    await withMember({ weight: 257 }, 'validation', 'weight')
    await withMember({ weight: -1 }, 'validation', 'weight')
    await withMember({ address: '10.0.0.11' }, 'validation', 'address')
    await withMember({ address: 'web-1' }, 'validation', 'address')
    await withMember({ address: 'fd00:1::5' }, 'validation', 'address')
    await withMember({ address: (await view(id)).address }, 'validation', 'address')
    await withMember({ address: '10.0.0.255' }, 'lb_member_unreachable', 'address')
    await withMember({ address: '192.0.2.1' }, 'lb_member_unreachable', 'address')
    await withMember({ address: '169.254.169.254' }, 'lb_member_unreachable', 'address')
    const many = Array.from({ length: 1001 }, (_, at) => ({ address: `10.0.${at >> 8}.${at & 255}` }))
    await refused({ members: many }, 'validation', 'members')
    expect((await view(id)).pools).toEqual([])
  })

  it('accepts only members in networks that are connected to routers in the project', async () => {
    const theirs = await server.call(networks.createPrivate, {
      ...{ as, body: { name: 'unconnected', subnets: [{ cidr: '10.7.0.0/24' }] } },
    })
    const members = [{ address: '10.7.0.5' }]
    await refused({ members }, 'lb_member_unreachable', 'members.0.address')
    const router = (await server.call(routers.list, { as })).data.find(({ name }) => name === 'edge')!
    await server.call(routers.addInterface, { as, params: { id: router.id }, body: { network_id: theirs.id } })
    const pool = await addPool(id, { members: [...members, { address: '203.0.113.200' }] })
    expect(pool.members.map(({ address }) => address)).toEqual(['10.7.0.5', '203.0.113.200'])
    await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
  })

  it('matches members by ID or address and reports whether they are healthy, disabled or unknown', async () => {
    const pool = await addPool(id, {
      healthmonitor: { type: 'HTTP' },
      members: [
        { address: '10.0.0.11', name: 'one' },
        { address: '10.0.0.12', enabled: false },
      ],
    })
    expect(pool.members.map(({ health }) => health)).toEqual(['UNKNOWN', 'DISABLED'])
    const healthy = await vi.waitFor(async () => {
      const now = await poolAt(pool.id)
      expect(now.members.map(({ health }) => health)).toEqual(['HEALTHY', 'DISABLED'])
      return now
    }, unhurried)
    expect(healthy).toMatchObject({ members_count: 2, members_healthy: 1 })
    const [one, two] = healthy.members
    const changed = await changePool(pool.id, {
      members: [{ id: two!.id, address: '10.0.0.13' }, { address: '10.0.0.11', weight: 5 }, { address: '10.0.0.14' }],
    })
    expect(
      changed.members.map(({ id: member, address, health }) => [
        member === one!.id || member === two!.id,
        address,
        health,
      ]),
    ).toEqual([
      [true, '10.0.0.13', 'UNKNOWN'],
      [true, '10.0.0.11', 'HEALTHY'],
      [false, '10.0.0.14', 'UNKNOWN'],
    ])
    expect(changed.members[1]).toMatchObject({ name: 'one', weight: 5 })
    await expect(changePool(pool.id, { members: [{ id: 'other', address: '10.0.0.15' }] })).rejects.toMatchObject(
      field('validation', 'members.0.id'),
    )
    await changePool(pool.id, { healthmonitor: null })
    await vi.waitFor(async () => {
      expect((await poolAt(pool.id)).members.every(({ health }) => health === 'UNKNOWN')).toBe(true)
    }, unhurried)
    await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
  })

  it('terminates TLS only with a valid certificate and never returns the private key [EN-049]', async () => {
    const authority = await makeTestCertificate({ names: [], isAuthority: true })
    const good = await makeTestCertificate({ names: ['shop.example'], issuer: authority })
    const [other, ended] = [
      await makeTestCertificate({ names: ['shop.example'] }),
      await makeTestCertificate({ names: ['shop.example'], days: -1 }),
    ]
    const tls = { protocol: 'HTTPS', protocol_port: 443, tls_enabled: true }
    const pair = ({ cert, key }: { cert: string; key: string }) => ({ certificate: cert, private_key: key })
    await refused({ ...tls, ...pair(good), private_key: other.key }, 'certificate_key_mismatch', 'private_key')
    await refused({ ...tls, ...pair(ended) }, 'certificate_expired', 'certificate')
    const broken = good.cert.replace(/\n[A-Za-z0-9+/]{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
    await refused({ ...tls, ...pair(good), certificate: broken }, 'certificate_unreadable', 'certificate')
    await refused({ ...tls, ...pair(good), certificate: 'hello' }, 'validation', 'certificate')
    await refused({ ...tls, ...pair(good), certificate: good.cert.repeat(200) }, 'validation', 'certificate')
    const locked = good.key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')
    await refused({ ...tls, ...pair(good), private_key: locked }, 'certificate_unreadable', 'private_key')
    await refused(
      { ...tls, ...pair(good), private_key: good.key.slice(0, 60) },
      'certificate_unreadable',
      'private_key',
    )
    await refused({ protocol: 'TCP', protocol_port: 443, ...pair(good) }, 'validation', 'certificate', 'private_key')

    const pool = await addPool(id, { ...tls, ...pair(good), certificate: `${authority.cert}\n${good.cert}` })
    expect(pool).toMatchObject({
      ...{ tls_enabled: true, backend_protocol: 'HTTP', backend_protocol_port: 80 },
      certificate: { names: ['shop.example'], not_after: expect.stringMatching(/^20/) },
    })
    expect(JSON.stringify(pool)).not.toContain('PRIVATE')
    await expect(changePool(pool.id, { certificate: other.cert })).rejects.toMatchObject(
      field('certificate_key_mismatch', 'private_key'),
    )
    const renewed = await changePool(pool.id, pair(other))
    expect(renewed.certificate!.fingerprint).not.toBe(pool.certificate!.fingerprint)
    await server.call(loadBalancerPools.delete, { as, params: { id: pool.id } })
  })
})
