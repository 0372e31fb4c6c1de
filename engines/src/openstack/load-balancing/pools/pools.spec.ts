import { LoadBalancerPool, PoolChange, PoolDraft } from '@mainstay/contract/load-balancing/pools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { startBalancingFixture, type BalancingFixture } from '../../testing/balancing-fixture'
import { loopbackCertificate } from '../../testing/certificate'

let fixture: BalancingFixture
beforeEach(async () => {
  fixture = await startBalancingFixture()
})
afterEach(() => fixture.close())

const http = { protocol: 'HTTP' as const, protocol_port: 80 }
const calls = () => fixture.neutron.calls().filter((call) => !call.startsWith('GET') && !/\/tokens/.test(call))
const update = (id: string, change: object) =>
  fixture.balancing.loadBalancerPools.update(fixture.member, id, PoolChange.parse(change))

test('creates a pool as a listener, pool, monitor and members, one by one', async () => {
  const balancer = await fixture.balancer()
  calls()
  const pool = await fixture.pool(balancer.id, {
    ...http,
    ...{ name: 'web', sticky_session: true, members: [{ address: '10.0.1.5' }], healthmonitor: { type: 'TCP' } },
  })
  expect(calls()).toEqual([
    'POST /lbaas/listeners',
    'POST /lbaas/pools',
    'POST /lbaas/healthmonitors',
    expect.stringMatching(/^PUT \/lbaas\/pools\/.*\/members$/),
  ])
  expect(LoadBalancerPool.parse(pool)).toEqual(pool)
  expect(pool).toMatchObject({
    ...{ name: 'web', status: 'ACTIVE', sticky_session: true, healthmonitor: { type: 'TCP', url_path: null } },
    ...{ members: [{ address: '10.0.1.5' }], loadbalancer_name: 'shop', members_count: 1 },
  })
  expect(fixture.indexed('load_balancer', balancer.id)).toMatchObject({ pools: [{ name: 'web' }], members_count: 1 })
  const again = fixture.pool(balancer.id, http)
  expect(await refusal(again)).toMatchObject({ code: 'port_in_use', fields: { protocol_port: [expect.any(String)] } })
})

test("continues a slow change in a task, without the caller's token", async () => {
  const balancer = await fixture.balancer()
  fixture.octavia.settleMs = 12_000
  const draft = PoolDraft.parse({ loadbalancer_id: balancer.id, ...http, members: [{ address: '10.0.1.5' }] })
  const made = await fixture.balancing.loadBalancerPools.create(fixture.member, draft)
  expect(made).toMatchObject({ status: 'CREATING', members: [] })
  for (const rows of [fixture.octavia.rows.loadbalancers, fixture.octavia.rows.listeners])
    for (const row of rows.values()) row.provisioning_status = 'ACTIVE'
  fixture.octavia.settleMs = 5
  await fixture.runTask()
  expect(await fixture.readPool(made.id)).toMatchObject({ status: 'ACTIVE', members: [{ address: '10.0.1.5' }] })
})

test('leaves no pool behind when one of its parts is refused', async () => {
  const balancer = await fixture.balancer()
  fixture.cloud.on('load-balancer', 'POST', '/lbaas/pools', () => ({
    status: 400,
    body: { faultcode: 'Client', faultstring: 'Validation failure: session_persistence cookie_name is wrong' },
  }))
  const draft = PoolDraft.parse({ loadbalancer_id: balancer.id, ...http, sticky_session: true })
  expect(await refusal(fixture.balancing.loadBalancerPools.create(fixture.member, draft))).toMatchObject({
    code: 'validation',
    fields: { sticky_session: [expect.any(String)] },
  })
  await fixture.runTask()
  expect(fixture.octavia.rows.listeners.size).toBe(0)
})

test('finds a pool by its tag after a lost response, and completes it', { tags: 'all' }, async () => {
  const balancer = await fixture.balancer()
  fixture.octavia.settleMs = Infinity
  fixture.intents.isCutOff = true
  const draft = PoolDraft.parse({ loadbalancer_id: balancer.id, ...http, members: [{ address: '10.0.1.5' }] })
  const made = await fixture.balancing.loadBalancerPools.create(fixture.member, draft)
  fixture.octavia.settleMs = 5
  for (const rows of [fixture.octavia.rows.loadbalancers, fixture.octavia.rows.listeners])
    for (const row of rows.values()) row.provisioning_status = 'ACTIVE'
  fixture.intents.isCutOff = false
  await fixture.runIntent()
  expect(fixture.begun.at(-1)).toMatchObject({ name: 'compute.lb_pool.create', subject: { id: made.id } })
  await fixture.runTask()
  expect(await fixture.readPool(made.id)).toMatchObject({ members: [{ address: '10.0.1.5' }] })
})

test('changes only the objects that a request affects', { tags: 'all' }, async () => {
  const balancer = await fixture.balancer()
  const { id, members } = await fixture.pool(balancer.id, {
    ...http,
    ...{ members: [{ address: '10.0.1.5' }, { address: '10.0.1.6' }], healthmonitor: { type: 'HTTP' } },
  })
  const change = async (what: object) => {
    calls()
    const row = await update(id, what)
    await fixture.runTask()
    return { row: await fixture.readPool(row.id), calls: calls().map((call) => call.replace(/[\da-f-]{36}/g, 'ID')) }
  }
  expect(await change({ description: 'new', connection_limit: 7 })).toMatchObject({
    row: { description: 'new', connection_limit: 7 },
    calls: ['PUT /lbaas/listeners/ID'],
  })
  expect(await change({ lb_algorithm: 'ROUND_ROBIN' })).toMatchObject({
    row: { lb_algorithm: 'ROUND_ROBIN' },
    calls: ['PUT /lbaas/pools/ID'],
  })
  expect(await change({ healthmonitor: { type: 'HTTP', delay: 9 } })).toMatchObject({
    row: { healthmonitor: { delay: 9 } },
    calls: ['PUT /lbaas/healthmonitors/ID'],
  })
  expect(await change({ healthmonitor: { type: 'PING' } })).toMatchObject({
    row: { healthmonitor: { type: 'PING' } },
    calls: ['DELETE /lbaas/healthmonitors/ID', 'POST /lbaas/healthmonitors'],
  })
  expect(await change({ healthmonitor: null })).toMatchObject({
    row: { healthmonitor: null },
    calls: ['DELETE /lbaas/healthmonitors/ID'],
  })
  const fewer = { members: [{ id: members[1]!.id, address: '10.0.1.6', weight: 9 }] }
  expect(await change(fewer)).toMatchObject({
    row: { members: [{ id: members[1]!.id, weight: 9 }] },
    calls: ['PUT /lbaas/pools/ID/members'],
  })
  expect(await change(fewer)).toMatchObject({ calls: [] })
  expect(await change({ insert_headers: { 'X-Forwarded-For': true } })).toMatchObject({
    row: { insert_headers: { 'X-Forwarded-For': true } },
  })
  expect(await refusal(update(id, { proxy_protocol_enabled: true }))).toMatchObject({ code: 'unsupported' })
  expect(await refusal(update(id, { healthmonitor: { type: 'UDP-CONNECT' } }))).toMatchObject({
    fields: { 'healthmonitor.type': [expect.any(String)] },
  })
  expect(await refusal(fixture.balancing.loadBalancerPools.update(fixture.stranger, id, {}))).toMatchObject({
    code: 'not_found',
  })
})

test('deletes a pool with everything behind it, except what other listeners use', async () => {
  const balancer = await fixture.balancer()
  const own = await fixture.pool(balancer.id, { ...http, members: [{ address: '10.0.1.5' }] })
  const shared = await fixture.pool(balancer.id, {
    protocol: 'HTTP',
    protocol_port: 81,
    members: [{ address: '10.0.1.5' }],
  })
  const { listeners, pools } = fixture.octavia.rows
  const behind = listeners.get(shared.id)!['default_pool_id'] as string
  const other = fixture.octavia.add('listeners', {
    ...{ protocol: 'HTTP', protocol_port: 82, default_pool_id: behind, loadbalancers: [{ id: balancer.id }] },
  })
  pools.get(behind)!['listeners'] = [{ id: shared.id }, { id: other.id }]
  for (const { id } of [own, shared]) {
    await fixture.balancing.loadBalancerPools.delete(fixture.member, id)
    await fixture.runTask()
    expect(fixture.indexed('lb_pool', id)).toBeUndefined()
  }
  expect([...listeners.keys()]).toEqual([other.id])
  expect([...pools.keys()]).toEqual([behind])
  expect(await fixture.readPool(other.id)).toMatchObject({ protocol_port: 82, foreign: [] })
})

test('shows pools created by other clients and keeps their unsupported settings', async () => {
  const balancer = await fixture.balancer()
  const { add, addMember, rows, members } = fixture.octavia
  const loadbalancers = [{ id: balancer.id }]
  const behind = add('pools', {
    ...{ protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', loadbalancers, tls_enabled: true },
    session_persistence: { type: 'APP_COOKIE', cookie_name: 'JSESSIONID' },
  })
  const listener = add('listeners', {
    ...{ name: 'web', protocol: 'HTTP', protocol_port: 80, default_pool_id: behind.id, loadbalancers },
    ...{ insert_headers: { 'X-Forwarded-For': 'true' }, timeout_client_data: 77_000, allowed_cidrs: ['10.0.0.0/8'] },
  })
  rows.pools.get(behind.id)!['listeners'] = [{ id: listener.id }]
  add('l7policies', { listener_id: listener.id, action: 'REJECT' })
  const monitor = { type: 'HTTP', delay: 5, timeout: 3, max_retries: 3, max_retries_down: 3, url_path: '/up' }
  const made = add('healthmonitors', {
    ...monitor,
    http_method: 'HEAD',
    expected_codes: '204',
    pools: [{ id: behind.id }],
  })
  rows.pools.get(behind.id)!['healthmonitor_id'] = made.id
  addMember(behind.id, { address: '10.0.1.5', protocol_port: 8080, operating_status: 'ONLINE' })
  const odd = { protocol_port: 8081, backup: true, monitor_port: 9000, subnet_id: 's', operating_status: 'ERROR' }
  addMember(behind.id, { address: '10.0.1.6', ...odd })
  add('listeners', { name: 'calls', protocol: 'SCTP', protocol_port: 132, loadbalancers })
  add('listeners', { name: 'mail', protocol: 'TCP', protocol_port: 25, default_pool_id: behind.id, loadbalancers })
  add('pools', { name: 'spare', protocol: 'HTTP', loadbalancers })

  const row = await fixture.readPool(listener.id)
  expect(LoadBalancerPool.parse(row)).toEqual(row)
  expect(row).toMatchObject({
    ...{ backend_protocol_port: 8080, sticky_session: true, allowed_cidrs: ['10.0.0.0/8'] },
    members: [
      { health: 'HEALTHY' },
      { health: 'UNHEALTHY', reason: expect.stringContaining('HTTP requests on port 9000') },
    ],
    foreign: [
      'Layer 7 rules (1) are applied first',
      'Sticky sessions use the cookie JSESSIONID',
      'Connections to members use TLS',
      'The health check uses the method HEAD',
      'The health check expects the status 204',
      '10.0.1.6 receives traffic on port 8081',
      '10.0.1.6 is a backup member',
      '10.0.1.6 is checked at 10.0.1.6:9000',
    ],
  })
  expect((await fixture.readBalancer(balancer.id)).foreign).toEqual([
    'Listener calls: SCTP on port 132',
    'Listener mail: TCP on port 25, forwarded by HTTP to pool ' + behind.id,
    'Pool spare: HTTP, not the default pool of any listener',
  ])

  const kept = row.members.map(({ id, address, weight }) => ({ id, address, weight }))
  await update(listener.id, {
    ...{ name: 'shop', sticky_session: true, healthmonitor: { type: 'HTTP', url_path: '/up', delay: 8 } },
    members: [...kept, { address: '10.0.1.7' }],
  })
  await fixture.runTask()
  expect(rows.listeners.get(listener.id)).toMatchObject({
    ...{ name: 'shop', timeout_client_data: 77_000, insert_headers: { 'X-Forwarded-For': 'true' } },
  })
  expect(rows.pools.get(behind.id)).toMatchObject({ session_persistence: { type: 'APP_COOKIE' }, tls_enabled: true })
  expect(rows.healthmonitors.get(made.id)).toMatchObject({ delay: 8, http_method: 'HEAD', expected_codes: '204' })
  expect(members.get(behind.id)).toMatchObject([
    { address: '10.0.1.5', protocol_port: 8080, backup: false },
    { address: '10.0.1.6', ...odd },
    { address: '10.0.1.7', protocol_port: 8080 },
  ])
})

test('maps every status of listeners, pools and members [ST-048] [ST-049]', async () => {
  const balancer = await fixture.balancer()
  const { id } = await fixture.pool(balancer.id, { protocol: 'HTTP', protocol_port: 80 })
  const { rows, addMember } = fixture.octavia
  const [behind] = [...rows.pools.keys()]
  for (const part of [rows.listeners.get(id)!, rows.pools.get(behind!)!]) {
    for (const [said, status] of [
      ['PENDING_CREATE', 'CREATING'],
      ['PENDING_UPDATE', 'CONFIGURING'],
      ['PENDING_DELETE', 'DELETING'],
      ['ERROR', 'ERROR'],
      ['ACTIVE', 'ACTIVE'],
    ] as const) {
      part.provisioning_status = said
      expect([said, (await fixture.readPool(id)).status]).toEqual([said, status])
    }
  }
  for (const [at, state] of [
    { operating_status: 'ONLINE' },
    { operating_status: 'ERROR' },
    { operating_status: 'NO_MONITOR' },
    { operating_status: 'ONLINE', provisioning_status: 'ERROR' },
    { operating_status: 'ONLINE', admin_state_up: false },
  ].entries())
    addMember(behind!, { address: `10.0.1.${at + 5}`, protocol_port: 80, ...state })
  expect((await fixture.readPool(id)).members.map(({ health }) => health)).toEqual([
    ...['HEALTHY', 'UNHEALTHY', 'UNKNOWN', 'ERROR', 'DISABLED'],
  ])
})

test('stores SNI certificates separately, and keeps those set by other clients', async () => {
  const balancer = await fixture.balancer()
  const [own, more, third] = [loopbackCertificate(), loopbackCertificate(), loopbackCertificate()].map(
    ({ cert, key }) => ({ certificate: cert, private_key: key }),
  )
  const tls = { protocol: 'HTTPS' as const, protocol_port: 443, tls_enabled: true }
  const pool = await fixture.pool(balancer.id, { ...tls, ...own!, sni_certificates: [more!] })
  const { secrets, containers } = fixture.barbican
  const listener = () => fixture.octavia.rows.listeners.get(pool.id)!
  const named = () => listener()['sni_container_refs'] as string[]
  expect([containers.size, secrets.size, named().length]).toEqual([2, 4, 1])
  expect(named()).not.toContain(listener()['default_tls_container_ref'])
  expect(pool.sni_certificates).toHaveLength(1)
  expect(pool.foreign).toEqual([])

  const stranger = 'http://barbican.example/v1/containers/of-somebody-else'
  listener()['sni_container_refs'] = [...named(), stranger]
  const [kept] = named()
  const { fingerprint } = pool.sni_certificates![0]!
  await update(pool.id, { sni_certificates: [{ fingerprint }, third!] })
  await fixture.runTask()
  expect(named()).toEqual([kept, expect.any(String), stranger])
  expect([containers.size, secrets.size]).toEqual([3, 6])
  const row = fixture.indexed('lb_pool', pool.id) as LoadBalancerPool
  expect(row.sni_certificates).toHaveLength(2)
  expect(row.foreign).toEqual(['Additional SNI certificates: 1'])

  for (const [sni_certificates, field] of [
    [[{ fingerprint: '00' }], 'sni_certificates.0.fingerprint'],
    [[{ fingerprint }, more!], 'sni_certificates.1.certificate'],
    [[{ ...more!, private_key: own!.private_key }], 'sni_certificates.0.private_key'],
  ] as const)
    expect(Object.keys((await refusal(update(pool.id, { sni_certificates }))).fields)).toEqual([field])
  await update(pool.id, { sni_certificates: [] })
  await fixture.runTask()
  expect([containers.size, secrets.size, named()]).toEqual([1, 2, [stranger]])
  await fixture.balancing.loadBalancerPools.delete(fixture.member, pool.id)
  expect([containers.size, secrets.size]).toEqual([0, 0])
})

test("stores certificates in the project's key manager, and their keys nowhere else", async () => {
  const balancer = await fixture.balancer()
  const tls = { protocol: 'HTTPS' as const, protocol_port: 443, tls_enabled: true }
  const { cert, key } = loopbackCertificate()
  const pool = await fixture.pool(balancer.id, { ...tls, certificate: cert, private_key: key, client_ca: cert })
  const { secrets, containers } = fixture.barbican
  const listener = () => fixture.octavia.rows.listeners.get(pool.id)!
  expect(listener()).toMatchObject({
    ...{ protocol: 'TERMINATED_HTTPS', client_authentication: 'OPTIONAL' },
    default_tls_container_ref: `${fixture.cloud.endpoints['key-manager']}/containers/${[...containers.keys()][0]}`,
  })
  const names = [...containers.values()][0]!.secret_refs.map(({ name }) => name)
  expect([names, secrets.size]).toEqual([['certificate', 'private_key'], 3])
  expect(pool).toMatchObject({ protocol: 'HTTPS', backend_protocol: 'HTTP', tls_enabled: true })
  expect(pool.certificate?.names).toEqual(expect.arrayContaining(['127.0.0.1']))
  expect(pool.client_ca).toContain('BEGIN CERTIFICATE')
  const written = JSON.stringify([...fixture.index.values(), ...fixture.begun, fixture.logged])
  expect(written).not.toContain('PRIVATE KEY')

  expect(await refusal(update(pool.id, { certificate: cert }))).toMatchObject({
    code: 'certificate_without_key',
    fields: { private_key: [expect.any(String)] },
  })
  const other = loopbackCertificate()
  expect(await refusal(update(pool.id, { certificate: cert, private_key: other.key }))).toMatchObject({
    code: 'certificate_key_mismatch',
  })
  const before = listener()['default_tls_container_ref']
  await update(pool.id, { certificate: other.cert, private_key: other.key })
  await fixture.runTask()
  expect(listener()['default_tls_container_ref']).not.toBe(before)
  expect([containers.size, secrets.size]).toEqual([1, 3])
  const taken = PoolDraft.parse({ loadbalancer_id: balancer.id, ...tls, certificate: cert, private_key: key })
  expect(await refusal(fixture.balancing.loadBalancerPools.create(fixture.member, taken))).toMatchObject({
    code: 'port_in_use',
  })
  expect([containers.size, secrets.size]).toEqual([1, 3])
  await fixture.balancing.loadBalancerPools.delete(fixture.member, pool.id)
  expect([containers.size, secrets.size]).toEqual([0, 0])
})
