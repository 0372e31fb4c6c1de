import { join } from 'node:path'
import { PoolDraft } from '@mainstay/contract/load-balancing/pools'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { afterAll, beforeAll, expect } from 'vitest'
import { rounds } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { counted, requests, steadily, udpAsk } from '../dataplane/testing/balancer-traffic'
import { shopCertificate } from '../testing/certificate'
import { operator } from '../testing/embedded-cloud'
import { openRealBalancers, ours, type RealBalancers } from '../testing/real-balancers'

const test = testOn('networks')

/*
 * Load balancers created through commands, tested with real packets in a capsule: members and clients are namespaces,
 * and their machines are simulated.
 */

const scope = ours
let real: RealBalancers

beforeAll(async () => {
  real = await openRealBalancers()
})
afterAll(() => real.close())

const quick = { delay: 2, timeout: 1, max_retries: 1, max_retries_down: 2 }

test('a load balancer serves its address and floating IP, reports why a member is down, and uses it once it is healthy', async () => {
  const {
    bed,
    cloud,
    outside,
    group,
    machine,
    web,
    from,
    create,
    balancer,
    pool,
    changePool,
    member,
    healthIs,
    remove,
  } = real
  const closed = await cloud.networking.securityGroups.create(scope, { name: 'closed', description: '' })
  const [a, b, client] = [await web('web-1'), await web('web-2', closed.id), await machine('client', group.id)]
  const made = await create({
    floating_network_id: outside.id,
    pools: [
      {
        ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080 },
        ...{ lb_algorithm: 'ROUND_ROBIN', healthmonitor: { type: 'HTTP', ...quick } },
        members: [{ address: a.address }, { address: b.address }],
      },
      {
        protocol: 'HTTPS',
        protocol_port: 443,
        tls_enabled: true,
        backend_protocol_port: 8080,
        ...shopCertificate,
        members: [{ address: a.address }],
      },
    ],
  })
  const [front] = made.pools
  await healthIs(front!.id, a.address, 'HEALTHY')
  await healthIs(front!.id, b.address, 'UNHEALTHY')
  expect(member(front!.id, b.address)).toMatchObject({ name: 'web-2', instance_id: b.instance })
  expect(member(front!.id, b.address).reason).toBe(
    `The security group of web-2 does not allow traffic from the load balancer. Allow TCP port 8080 from ${made.address}`,
  )
  expect(balancer(made.id)).toMatchObject({ members_count: 3, members_healthy: 2, members_unhealthy: 1 })
  expect(counted(await from(client, requests(`http://${made.address}/`, 3)))).toEqual({ 'web-1': 3 })
  expect(counted(await bed.run('edge', requests(`http://${made.floating_ip}/`, 3)))).toEqual({ 'web-1': 3 })

  await cloud.networking.securityGroupRules.create(
    scope,
    SecurityGroupRuleDraft.parse({
      ...{ security_group_id: closed.id, direction: 'ingress', protocol: 'tcp' },
      remote_ip_prefix: `${made.address}/32`,
    }),
  )
  await healthIs(front!.id, b.address, 'HEALTHY')
  expect(counted(await from(client, requests(`http://${made.address}/`, 4)))).toEqual({ 'web-1': 2, 'web-2': 2 })

  const secure = `--resolve shop.example:443:${made.address} -k https://shop.example/`
  expect(await from(client, `curl -s -m 5 --http2 -o /dev/null -w '%{http_version} %{http_code}' ${secure}`)).toBe(
    '2 200',
  )
  const told = await from(client, `curl -s -D - -o /dev/null ${secure} | grep -i x-seen`)
  expect(told).toContain('"x-forwarded-proto":"https"')

  const sticky = await changePool(front!.id, { sticky_session: true })
  await cloud.engine.carrier.settled()
  const jar = `-c /tmp/jar-$$ -b /tmp/jar-$$`
  expect(Object.keys(counted(await from(client, requests(`http://${made.address}/`, 6, jar))))).toHaveLength(1)
  expect(pool(sticky.id).status).toBe('ACTIVE')
  expect((await cloud['load-balancing'].loadBalancers.stats(scope, made.id)).total_connections).toBeGreaterThanOrEqual(
    16,
  )

  const carried = balancer(made.id).amphorae[0]!.id
  await cloud['load-balancing'].loadBalancers.failover(operator, made.id)
  await cloud.server.idle()
  expect(balancer(made.id).amphorae[0]!.id).not.toBe(carried)
  expect(balancer(made.id).status).toBe('ACTIVE')
  expect(counted(await from(client, requests(`http://${made.address}/`, 2)))).not.toHaveProperty('failed')
  await remove(made.id)
  await cloud.engine.carrier.settled()
  expect(await from(client, requests(`http://${made.address}/`, 1, '-m 1'))).toBe('failed')
  expect(cloud.memory.all('lb_pool')).toEqual([])
}, 120_000)

test(
  'takes a dead member out of rotation within its health check time (TCP, PING and UDP)',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const { cloud, group, machine, web, from, create, pool, healthIs, remove } = real
    await cloud.networking.securityGroupRules.create(
      scope,
      SecurityGroupRuleDraft.parse({ security_group_id: group.id, direction: 'ingress', protocol: 'icmp' }),
    )
    const [a, b, client] = [await web('one'), await web('two'), await machine('asker', group.id)]
    const members = [{ address: a.address }, { address: b.address }]
    const common = { members, lb_algorithm: 'ROUND_ROBIN' }
    const made = await create({
      pools: [
        {
          protocol: 'TCP',
          protocol_port: 81,
          backend_protocol_port: 8080,
          healthmonitor: { type: 'TCP', ...quick },
          ...common,
        },
        {
          protocol: 'HTTP',
          protocol_port: 82,
          backend_protocol_port: 8080,
          healthmonitor: { type: 'PING', ...quick },
          ...common,
        },
        {
          protocol: 'UDP',
          protocol_port: 53,
          backend_protocol_port: 9090,
          healthmonitor: { type: 'UDP-CONNECT', ...quick },
          ...common,
        },
      ],
    })
    for (const { id } of made.pools) for (const { address } of members) await healthIs(id, address, 'HEALTHY')
    await cloud.engine.carrier.settled()
    expect(counted(await from(client, udpAsk(made.address, 53, 4)))).toEqual({ one: 2, two: 2 })
    expect(counted(await from(client, requests(`http://${made.address}:81/`, 4)))).toEqual({ one: 2, two: 2 })

    const begun = Date.now()
    await from(b, 'ip link set dev eth0 down')
    for (const { id } of made.pools) await healthIs(id, b.address, 'UNHEALTHY')
    // two checks and their timeouts; for UDP, also the expiry of its neighbor entry
    expect(Date.now() - begun).toBeLessThan(15_000)
    await cloud.engine.carrier.settled()
    expect(counted(await from(client, udpAsk(made.address, 53, 4)))).toEqual({ one: 4 })
    for (const port of [81, 82])
      expect(counted(await from(client, requests(`http://${made.address}:${port}/`, 4)))).toEqual({ one: 4 })
    expect(pool(made.pools.find(({ name }) => name === 'HTTP-82')!.id).members.map(({ reason }) => reason)).toContain(
      'It does not respond to ping',
    )

    // a member that recovers is used again
    await from(b, 'ip link set dev eth0 up')
    for (const { id } of made.pools) await healthIs(id, b.address, 'HEALTHY')
    await cloud.engine.carrier.settled()
    expect(counted(await from(client, udpAsk(made.address, 53, 4)))).toEqual({ one: 2, two: 2 })
    await remove(made.id)
  },
)

const changes = rounds({ gate: 20, all: 100, long: 100 })
const leastSeconds = rounds({ gate: 5, all: 10, long: 10 })

test(
  `loses none of 50 requests per second during ${changes} member changes and ${changes / 10} settings changes`,
  { tags: 'all', timeout: 240_000 },
  async () => {
    const { bed, cloud, group, machine, web, from, create, changePool, remove } = real
    const [a, b, client] = [await web('left'), await web('right'), await machine('loader', group.id)]
    const made = await create({
      pools: [
        {
          ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, healthmonitor: { type: 'HTTP' } },
          members: [{ address: a.address }, { address: b.address }],
        },
      ],
    })
    const [front] = made.pools
    const stopFile = join(bed.folder, 'enough')
    let isOver = false
    const load = from(client, steadily(made.address, 20, stopFile)).finally(() => (isOver = true))
    // long enough to send 20 requests per second, even on a slow machine
    const enough = Date.now() + leastSeconds * 1000
    for (let at = 0; (at < changes || Date.now() < enough) && !isOver; at++) {
      const members =
        at % 2 === 0 ? [{ address: a.address }] : [{ address: a.address }, { address: b.address, weight: 1 + (at % 7) }]
      await changePool(front!.id, { members })
      if (at % 10 === 0) await changePool(front!.id, { connection_limit: 1000 + at })
      await cloud.engine.carrier.settled()
    }
    expect(isOver).toBe(false)
    await bed.run('edge', `touch '${stopFile}'`)
    const said = JSON.parse((await load).split('\n').at(-1)!) as { good: number; bad: string[]; sent: number }
    expect(said.bad).toEqual([])
    expect(said.good).toBe(said.sent)
    // 50 requests per second during the changes; fewer on a slow machine
    expect(said.sent).toBeGreaterThan(20 * leastSeconds)
    await remove(made.id)
  },
)

test('updates the status of the load balancer once the host has applied a new, changed or disabled pool', async () => {
  const { cloud, group, machine, web, from, create, balancer, pool, changePool, remove } = real
  const [a, client] = [await web('solo'), await machine('late', group.id)]
  const made = await create({})
  const added = await cloud['load-balancing'].loadBalancerPools.create(
    scope,
    PoolDraft.parse({
      ...{ loadbalancer_id: made.id, protocol: 'TCP', protocol_port: 90, backend_protocol_port: 8080 },
      members: [{ address: a.address }],
    }),
  )
  expect([added.status, balancer(made.id).status]).toEqual(['CREATING', 'CONFIGURING'])
  await cloud.engine.carrier.settled()
  expect([pool(added.id).status, balancer(made.id).status]).toEqual(['ACTIVE', 'ACTIVE'])
  expect(await from(client, requests(`http://${made.address}:90/`, 1))).toBe('solo')
  await changePool(added.id, { allowed_cidrs: ['192.0.2.0/24'] })
  await cloud.engine.carrier.settled()
  expect(await from(client, requests(`http://${made.address}:90/`, 1, '-m 1'))).toBe('failed')
  await changePool(added.id, { allowed_cidrs: ['10.0.0.0/8'], enabled: false })
  await cloud.engine.carrier.settled()
  expect(await from(client, requests(`http://${made.address}:90/`, 1, '-m 1'))).toBe('failed')
  await changePool(added.id, { enabled: true })
  await cloud.engine.carrier.settled()
  expect(await from(client, requests(`http://${made.address}:90/`, 1))).toBe('solo')
  await remove(made.id)
})
