import { LoadBalancer, LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { loopbackCertificate } from '../../testing/certificate'
import { startBalancingFixture, type BalancingFixture } from '../../testing/balancing-fixture'

let fixture: BalancingFixture
beforeEach(async () => {
  fixture = await startBalancingFixture()
})
afterEach(() => fixture.close())

const http = { protocol: 'HTTP' as const, protocol_port: 80 }
const sent = (verb: string, path: string) =>
  fixture.cloud.received.filter((call) => call.service === 'load-balancer' && call.verb === verb && call.path === path)

test('creates a load balancer, then its pools, members and monitors one by one in its task', async () => {
  const balancer = await fixture.balancer({
    description: 'for the shop',
    pools: [
      {
        ...http,
        ...{
          name: 'web',
          members: [
            { address: '10.0.1.5', weight: 3 },
            { address: '10.0.1.6', enabled: false },
          ],
        },
        healthmonitor: { type: 'HTTP', url_path: '/health' },
      },
      { protocol: 'TCP', protocol_port: 5432, backend_protocol_port: 6432, allowed_cidrs: ['198.51.100.0/24'] },
    ],
  })
  expect(LoadBalancer.parse(balancer)).toEqual(balancer)
  expect(balancer).toMatchObject({
    ...{ name: 'shop', description: 'for the shop', status: 'ACTIVE', fault: null, enabled: true, provider: 'amphora' },
    ...{ ip_version: 4, address: '10.0.1.200', network_name: 'net-1', ha_enabled: false, foreign: [] },
    ...{ pools: [{ name: 'web' }, { name: 'TCP-5432' }], members_count: 2, members_healthy: 1, members_unhealthy: 0 },
    ...{ project_id: 'p-demo', domain_id: 'default' },
  })
  expect([sent('POST', '/lbaas/loadbalancers'), sent('POST', '/lbaas/listeners')].map(({ length }) => length)).toEqual([
    1, 2,
  ])
  const [web, tcp] = balancer.pools.map(({ id }) => fixture.indexed<LoadBalancerPool>('lb_pool', id)!)
  expect(LoadBalancerPool.parse(web)).toEqual(web)
  expect(web).toMatchObject({
    ...{ status: 'ACTIVE', protocol: 'HTTP', protocol_port: 80, backend_protocol: 'HTTP', backend_protocol_port: 80 },
    ...{ lb_algorithm: 'LEAST_CONNECTIONS', connection_limit: -1, allowed_cidrs: [], sticky_session: false },
    insert_headers: { 'X-Forwarded-For': true, 'X-Forwarded-Port': true, 'X-Forwarded-Proto': true },
    healthmonitor: { type: 'HTTP', url_path: '/health', delay: 5, timeout: 3, enabled: true },
    members: [
      { address: '10.0.1.5', weight: 3, enabled: true, health: 'UNKNOWN' },
      { address: '10.0.1.6', enabled: false, health: 'DISABLED' },
    ],
    ...{ members_count: 2, members_healthy: 1, foreign: [] },
  })
  expect(tcp).toMatchObject({ backend_protocol_port: 6432, allowed_cidrs: ['198.51.100.0/24'], members: [] })
})

test('refuses unsupported features before calling the cloud, or chooses another provider', async () => {
  const { id } = await fixture.network(1)
  const ovn = [...fixture.index.values()].find(({ name }) => name === 'ovn')!
  const create = (draft: object) =>
    fixture.balancing.loadBalancers.create(
      fixture.member,
      LoadBalancerDraft.parse({ name: 'shop', network_id: id, ...draft }),
    )
  const flavor_id = ovn.id
  expect(await refusal(create({ flavor_id, pools: [http] }))).toMatchObject({
    code: 'unsupported',
    fields: { 'pools.0.protocol': ['ovn load balancers support only TCP and UDP'] },
  })
  const tcp = { protocol: 'TCP', protocol_port: 80 }
  const refused: [object, string][] = [
    [{ lb_algorithm: 'ROUND_ROBIN' }, 'pools.0.lb_algorithm'],
    [{ sticky_session: true }, 'pools.0.sticky_session'],
    [{ allowed_cidrs: ['10.0.0.0/8'] }, 'pools.0.allowed_cidrs'],
    [{ healthmonitor: { type: 'PING' } }, 'pools.0.healthmonitor.type'],
    [{ members: [{ address: '10.0.1.5', weight: 2 }] }, 'pools.0.members.0.weight'],
    [{ members: [{ address: '192.0.2.5' }] }, 'pools.0.members.0.address'],
    [{ connection_limit: 10 }, 'pools.0.connection_limit'],
  ]
  for (const [more, field] of refused)
    expect(await refusal(create({ flavor_id, pools: [{ ...tcp, ...more }] }))).toMatchObject({
      fields: { [field]: [expect.any(String)] },
    })
  expect(sent('POST', '/lbaas/loadbalancers')).toEqual([])
  const made = await create({ flavor_id, pools: [{ ...tcp, members: [{ address: '10.0.1.5' }] }] })
  await fixture.runTask()
  expect(made).toMatchObject({ provider: 'ovn', flavor_id })
  const [row] = [...fixture.octavia.rows.pools.values()]
  expect(row).toMatchObject({ lb_algorithm: 'SOURCE_IP_PORT' })
  const { subnets } = fixture.neutron.rows
  expect(fixture.octavia.members.get(row!.id)).toMatchObject([{ subnet_id: [...subnets.keys()][0] }])
})

test("creates a load balancer with TLS and its pools in one call, using the certificate owner's token", async () => {
  const { cert, key } = loopbackCertificate()
  const tls = { protocol: 'HTTPS' as const, protocol_port: 443, tls_enabled: true, certificate: cert, private_key: key }
  const members = [{ address: '10.0.1.5' }]
  const balancer = await fixture.balancer({ pools: [{ ...tls, members }, http] })
  expect([sent('POST', '/lbaas/loadbalancers'), sent('POST', '/lbaas/listeners')].map(({ length }) => length)).toEqual([
    1, 0,
  ])
  const [first] = balancer.pools.map(({ id }) => fixture.indexed<LoadBalancerPool>('lb_pool', id)!)
  expect(first).toMatchObject({ tls_enabled: true, members, certificate: { names: ['127.0.0.1'] } })
  expect(JSON.stringify([...fixture.begun, ...fixture.index.values()])).not.toContain('PRIVATE KEY')
  await fixture.balancing.loadBalancers.delete(fixture.member, balancer.id)
  expect([fixture.barbican.containers.size, fixture.barbican.secrets.size]).toEqual([0, 0])
})

test('leaves no load balancer behind when one of its pools is refused', async () => {
  fixture.cloud.on('load-balancer', 'POST', '/lbaas/pools', () => ({
    status: 403,
    body: { faultcode: 'Client', faultstring: 'Quota has been met for resources: Pool' },
  }))
  await expect(fixture.balancer({ pools: [http] })).rejects.toThrow('Quota has been met for resources: Pool')
  await fixture.runTask()
  expect([fixture.octavia.rows.loadbalancers.size, fixture.octavia.rows.listeners.size]).toEqual([0, 0])
})

test('chooses a flavor by its topology, and reports that the cloud has no redundant flavor', async () => {
  const { id } = await fixture.network(1)
  const draft = LoadBalancerDraft.parse({ name: 'shop', network_id: id, ha_enabled: true })
  expect(await refusal(fixture.balancing.loadBalancers.create(fixture.member, draft))).toMatchObject({
    code: 'unsupported',
    fields: { ha_enabled: [expect.any(String)] },
  })
  const profile = {
    id: 'pair',
    name: 'pair',
    provider_name: 'amphora',
    flavor_data: { loadbalancer_topology: 'ACTIVE_STANDBY' },
  }
  fixture.index.set('lb_flavor_profile/pair', profile)
  fixture.index.set('lb_flavor/two', {
    ...{ id: 'two', name: 'two', description: '', enabled: true },
    flavor_profile_id: 'pair',
  })
  const made = await fixture.balancing.loadBalancers.create(fixture.member, draft)
  expect(made).toMatchObject({ flavor_id: 'two', provider: 'amphora' })
  for (const role of ['MASTER', 'BACKUP'])
    fixture.octavia.amphorae.push({
      id: role,
      loadbalancer_id: made.id,
      role,
      status: 'ALLOCATED',
      compute_id: `vm-${role}`,
    })
  fixture.octavia.amphorae.push({
    id: 'old',
    loadbalancer_id: made.id,
    role: 'MASTER',
    status: 'DELETED',
    compute_id: null,
  })
  expect(await fixture.readBalancer(made.id)).toMatchObject({
    ha_enabled: true,
    amphorae: [
      { role: 'MASTER', active: true, compute_id: 'vm-MASTER' },
      { role: 'BACKUP', active: false },
    ],
  })
})

test('renames, disables and deletes a load balancer with its contents, but keeps its floating IP', async () => {
  const balancer = await fixture.balancer({ pools: [http] })
  const { loadBalancers } = fixture.balancing
  const floating = await fixture.make('floatingips', { floating_ip_address: '203.0.113.9', floating_network_id: 'out' })
  const reached = await loadBalancers.update(fixture.member, balancer.id, { floating_ip: '203.0.113.9' })
  expect(reached).toMatchObject({ floating_ip: '203.0.113.9', floating_ip_id: floating.id })
  await loadBalancers.update(fixture.member, balancer.id, { name: 'store', enabled: false })
  await fixture.runTask()
  expect(await fixture.readBalancer(balancer.id)).toMatchObject({ name: 'store', enabled: false, status: 'DISABLED' })
  const leaving = await loadBalancers.delete(fixture.member, balancer.id)
  expect(leaving.status).toBe('DELETING')
  await fixture.runTask()
  expect(fixture.indexed('load_balancer', balancer.id)).toBeUndefined()
  expect(fixture.indexed('lb_pool', balancer.pools[0]!.id)).toBeUndefined()
  expect(fixture.octavia.rows.listeners.size).toBe(0)
  expect(fixture.indexed('floating_ip', floating.id)).toBeDefined()
})

test('leaves no load balancer behind when its floating IP cannot be assigned', async () => {
  const outside = await fixture.outside()
  const { id } = await fixture.network(1)
  fixture.cloud.on('network', 'PUT', '/floatingips/:id', () => ({
    status: 404,
    body: { NeutronError: { type: 'ExternalGatewayForFloatingIPNotFound', message: 'not reachable', detail: '' } },
  }))
  const draft = LoadBalancerDraft.parse({ name: 'shop', network_id: id, floating_network_id: outside })
  expect(await refusal(fixture.balancing.loadBalancers.create(fixture.member, draft))).toMatchObject({
    code: 'not_routable',
    fields: { floating_network_id: [expect.any(String)] },
  })
  await fixture.runTask()
  expect([fixture.octavia.rows.loadbalancers.size, fixture.neutron.rows.floatingips.size]).toEqual([0, 0])
})

test('tracks a deletion that the service has already started, even if the index does not show it yet', async () => {
  const { id } = await fixture.balancer()
  fixture.cloud.on('load-balancer', 'DELETE', '/lbaas/loadbalancers/:id', () => {
    setTimeout(() => fixture.octavia.rows.loadbalancers.delete(id), 20)
    return { status: 409, body: { faultstring: `Load Balancer ${id} is immutable and cannot be updated.` } }
  })
  await fixture.engine.trackToCompletion({
    ...{ name: 'compute.load_balancer.delete', until: 'gone', scope: fixture.member, args: { isSent: false } },
    subject: { kind: 'load_balancer', id, name: 'shop' },
  })
  await fixture.runTask()
  expect(fixture.octavia.rows.loadbalancers.size).toBe(0)
})

test('reports a load balancer that stays busy, and gives that as the reason for refusing changes', async () => {
  const balancer = await fixture.balancer()
  const row = fixture.octavia.rows.loadbalancers.get(balancer.id)!
  Object.assign(row, { provisioning_status: 'PENDING_UPDATE', updated_at: '2026-01-02T03:04:05' })
  const words = /has not finished the change \(PENDING_UPDATE\) that began on 2026-01-02 03:04 UTC/
  expect(await fixture.readBalancer(balancer.id)).toMatchObject({
    status: 'CONFIGURING',
    fault: expect.stringMatching(words),
  })
  const { loadBalancers } = fixture.balancing
  for (const call of [
    () => loadBalancers.update(fixture.member, balancer.id, { name: 'other' }),
    () => loadBalancers.delete(fixture.member, balancer.id),
    () => fixture.pool(balancer.id, http),
  ])
    expect(await refusal(call())).toMatchObject({ code: 'lb_pending', message: expect.stringMatching(words) })
})

test('fails the task with the reason if the cloud never finishes the load balancer', async () => {
  fixture.octavia.settleMs = Infinity
  const { id } = await fixture.network(1)
  const draft = LoadBalancerDraft.parse({ name: 'shop', network_id: id })
  const made = await fixture.balancing.loadBalancers.create(fixture.member, draft)
  expect(made.status).toBe('CREATING')
  fixture.octavia.rows.loadbalancers.get(made.id)!['created_at'] = '2026-01-02T03:04:05'
  await expect(fixture.runTask()).rejects.toThrow('has not finished the change (PENDING_CREATE)')
})

test('lets operators rebuild a load balancer only if it is in the error state', async () => {
  const balancer = await fixture.balancer()
  const { loadBalancers } = fixture.balancing
  expect(await refusal(loadBalancers.recreate(fixture.operator, balancer.id))).toMatchObject({ code: 'invalid_state' })
  fixture.octavia.rows.loadbalancers.get(balancer.id)!.provisioning_status = 'ERROR'
  expect(await fixture.readBalancer(balancer.id)).toMatchObject({ status: 'ERROR', fault: expect.any(String) })
  expect(await refusal(loadBalancers.update(fixture.member, balancer.id, { name: 'x' }))).toMatchObject({
    code: 'invalid_state',
  })
  expect(await refusal(loadBalancers.recreate(fixture.member, balancer.id))).toMatchObject({ code: 'forbidden' })
  await loadBalancers.recreate(fixture.operator, balancer.id)
  await fixture.runTask()
  expect(await fixture.readBalancer(balancer.id)).toMatchObject({ status: 'ACTIVE', fault: null })
  fixture.octavia.rows.loadbalancers.get(balancer.id)!['provider'] = 'ovn'
  await fixture.readBalancer(balancer.id)
  expect(await refusal(loadBalancers.failover(fixture.operator, balancer.id))).toMatchObject({ code: 'unsupported' })
})

test('reports an exceeded quota on the name field, and reads and sets limits', async () => {
  const { quotaLimits } = fixture.balancing
  expect(await fixture.balancing.quotas(fixture.member, 'p-demo')).toEqual({ loadbalancer: { limit: -1, used: 0 } })
  await quotaLimits.setOfProject(fixture.operator, { project_id: 'p-demo', domain_id: 'default' }, { loadbalancer: 1 })
  await fixture.balancer()
  expect(await fixture.balancing.quotas(fixture.member, 'p-demo')).toEqual({ loadbalancer: { limit: 1, used: 1 } })
  expect(await refusal(fixture.balancer())).toMatchObject({
    code: 'quota_exceeded',
    fields: { name: [expect.any(String)] },
    data: { resource: 'loadbalancer' },
  })
})

test('reads the traffic of a load balancer and its pools without a signed-in user', async () => {
  const balancer = await fixture.balancer({ pools: [http] })
  const scope = { ...fixture.operator, user_id: 'server', credential: null }
  const stats = await fixture.balancing.loadBalancers.stats(scope, balancer.id)
  const counted = { active_connections: 1, total_connections: 20, bytes_in: 300, bytes_out: 4000, request_errors: 5 }
  expect(stats).toEqual({
    ...{ ...counted, members_count: 0, members_healthy: 0 },
    pools: [{ id: balancer.pools[0]!.id, name: 'HTTP-80', ...counted }],
  })
  expect(await refusal(fixture.balancing.loadBalancers.stats(fixture.stranger, balancer.id))).toMatchObject({
    code: 'not_found',
  })
})

test('finds a created load balancer by its tag after a lost response', async () => {
  const { id } = await fixture.network(1)
  fixture.intents.isCutOff = true
  const made = await fixture.balancing.loadBalancers.create(
    fixture.member,
    LoadBalancerDraft.parse({ name: 'shop', network_id: id }),
  )
  fixture.intents.isCutOff = false
  await fixture.runIntent()
  expect(fixture.begun.at(-1)).toMatchObject({ name: 'compute.load_balancer.create', subject: { id: made.id } })
})
