import { LoadBalancer, LoadBalancerDraft, LoadBalancerChange } from '@mainstay/contract/load-balancing/load-balancers'
import { LoadBalancerPool, PoolChange, PoolDraft } from '@mainstay/contract/load-balancing/pools'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Port } from '@mainstay/contract/networking/ports'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { gone, refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for load balancers. An engine that does not support them must refuse them with a reason. */
export function describeLoadBalancers(start: StartCloud): void {
  describe(suiteOf('load balancers'), () => {
    const fixture = networkingFixture(start)
    const balancing = () => fixture.cloud['load-balancing']
    const isThere = () => balancing().unavailable() === null
    const settled = (id: string, status: LoadBalancer['status'] = 'ACTIVE') =>
      until(`load balancer ${id} to be ${status}`, async () => {
        const row = await fixture.cloud.row<LoadBalancer>('load_balancer', id)
        if (row?.status === 'ERROR') throw new Error(`the load balancer is in error: ${row.fault}`)
        return row?.status === status ? row : null
      })
    const create = async (said: Partial<z.input<typeof LoadBalancerDraft>> = {}) => {
      const { cloud } = fixture
      const network_id = said.network_id ?? (await fixture.network()).id
      const draft = LoadBalancerDraft.parse({ name: 'shop', ...said, network_id })
      const made = await balancing().loadBalancers.create(cloud.member, draft)
      fixture.cleanup(async () => {
        await balancing().loadBalancers.delete(cloud.member, made.id)
        await gone(cloud, 'load_balancer', made.id)
      })
      return made
    }
    const poolSettled = (id: string, look: (pool: LoadBalancerPool) => boolean) =>
      until(`pool ${id}`, async () => {
        const row = await fixture.cloud.row<LoadBalancerPool>('lb_pool', id)
        return row?.status === 'ACTIVE' && look(row) ? row : null
      })
    const tcp = { protocol: 'TCP' as const, protocol_port: 80 }
    const memberAt = (address: string, place: number) => address.replace(/\d+$/, String(place))

    test('creates a load balancer with pools and its own address, and deletes it with both', async () => {
      const { cloud } = fixture
      if (!isThere()) {
        const draft = LoadBalancerDraft.parse({ name: 'shop', network_id: (await fixture.network()).id })
        expect(await refusal(balancing().loadBalancers.create(cloud.member, draft))).toMatchObject({
          message: balancing().unavailable(),
        })
        return
      }
      const net = await fixture.network()
      const [subnet] = net.subnets
      const address = memberAt(subnet!.cidr.split('/')[0]!, 77)
      const made = await create({
        ...{ network_id: net.id, address, description: 'for the shop' },
        pools: [
          { ...tcp, name: 'web', members: [{ address: memberAt(address, 81) }, { address: memberAt(address, 82) }] },
        ],
      })
      expect(LoadBalancer.parse(made)).toEqual(made)
      expect(made).toMatchObject({
        ...{
          name: 'shop',
          description: 'for the shop',
          status: 'CREATING',
          network_id: net.id,
          network_name: net.name,
        },
        ...{ ip_version: 4, address, floating_ip: null, enabled: true },
        ...{ project_id: cloud.member.project_id, domain_id: cloud.member.domain_id },
      })
      await until('its pool', async () => (await cloud.row<LoadBalancer>('load_balancer', made.id))?.pools.length)
      const balancer = await settled(made.id)
      expect(balancer.pools).toEqual([{ id: expect.any(String), name: 'web' }])
      const port = await cloud.row<Port>('port', balancer.port_id)
      expect(port?.fixed_ips[0]?.ip_address).toBe(address)
      const pool = await poolSettled(balancer.pools[0]!.id, ({ members }) => members.length === 2)
      expect(LoadBalancerPool.parse(pool)).toEqual(pool)
      expect(pool).toMatchObject({
        ...{ ...tcp, loadbalancer_id: made.id, backend_protocol: 'TCP', backend_protocol_port: 80, tls_enabled: false },
        ...{ members_count: 2, healthmonitor: null, connection_limit: -1, allowed_cidrs: [] },
      })
      const { loadBalancers } = balancing()
      for (const call of [
        () => loadBalancers.update(cloud.stranger, made.id, { description: '' }),
        () => loadBalancers.delete(cloud.stranger, made.id),
        () => loadBalancers.stats(cloud.stranger, made.id),
        () => balancing().loadBalancerPools.delete(cloud.stranger, pool.id),
      ])
        expect(await refusal(call())).toMatchObject({ code: 'not_found' })
      expect(await loadBalancers.stats(cloud.member, made.id)).toMatchObject({ pools: [{ id: pool.id, name: 'web' }] })
      await loadBalancers.delete(cloud.member, made.id)
      await gone(cloud, 'load_balancer', made.id)
      await gone(cloud, 'lb_pool', pool.id)
      await gone(cloud, 'port', balancer.port_id)
    })

    test('renames, disables and enables a load balancer', async () => {
      if (!isThere()) return
      const { id } = await create()
      await settled(id)
      const change = (said: object) =>
        balancing().loadBalancers.update(fixture.cloud.member, id, LoadBalancerChange.parse(said))
      expect(await change({ name: 'store', enabled: false })).toMatchObject({ name: 'store', enabled: false })
      await settled(id, 'DISABLED')
      await change({ enabled: true })
      await settled(id)
    })

    test('creates and deletes pools on distinct ports, and changes members and health monitors', async () => {
      if (!isThere()) return
      const { cloud } = fixture
      const { id, address } = await create()
      await settled(id)
      const { loadBalancerPools } = balancing()
      const draft = (said: object) => PoolDraft.parse({ loadbalancer_id: id, ...tcp, ...said })
      const made = await loadBalancerPools.create(
        cloud.member,
        draft({
          backend_protocol_port: 8080,
          members: [{ address: memberAt(address, 91) }],
          healthmonitor: { type: 'TCP' },
        }),
      )
      const pool = await poolSettled(
        made.id,
        ({ members, healthmonitor }) => members.length === 1 && healthmonitor !== null,
      )
      expect(pool).toMatchObject({
        ...{ name: 'TCP-80', backend_protocol_port: 8080, loadbalancer_name: 'shop' },
        healthmonitor: { type: 'TCP', url_path: null, delay: 5, timeout: 3, max_retries: 3, max_retries_down: 3 },
        members: [{ address: memberAt(address, 91), weight: 1, enabled: true }],
      })
      expect(await refusal(loadBalancerPools.create(cloud.member, draft({ name: 'other' })))).toMatchObject({
        code: 'port_in_use',
        fields: { protocol_port: [expect.any(String)] },
      })
      const [kept] = pool.members
      await loadBalancerPools.update(
        cloud.member,
        pool.id,
        PoolChange.parse({
          description: 'changed',
          healthmonitor: { type: 'TCP', delay: 9 },
          members: [{ id: kept!.id, address: kept!.address, enabled: false }, { address: memberAt(address, 92) }],
        }),
      )
      const changed = await poolSettled(pool.id, (row) => row.members.length === 2 && row.healthmonitor?.delay === 9)
      expect(changed).toMatchObject({ description: 'changed', backend_protocol_port: 8080 })
      expect(changed.members.find((member) => member.id === kept!.id)).toMatchObject({
        enabled: false,
        health: 'DISABLED',
      })
      await until('the balancer to count them', async () => {
        const row = await cloud.row<LoadBalancer>('load_balancer', id)
        return row?.members_count === 2
      })
      await settled(id)
      await loadBalancerPools.update(cloud.member, pool.id, { members: [], healthmonitor: null })
      await poolSettled(pool.id, (row) => row.members.length === 0 && row.healthmonitor === null)
      await settled(id)
      await loadBalancerPools.delete(cloud.member, pool.id)
      await gone(cloud, 'lb_pool', pool.id)
      await until('the balancer to have none', async () => {
        const row = await cloud.row<LoadBalancer>('load_balancer', id)
        return row?.pools.length === 0
      })
    })

    test('assigns a floating IP to a load balancer, and unassigns it', async () => {
      if (!isThere()) return
      const { cloud } = fixture
      const [net, outside] = [await fixture.network(), await fixture.external()]
      await fixture.router({
        external_gateway_info: { network_id: outside.id },
        internal_interfaces: [{ network_id: net.id }],
      })
      const made = await create({ network_id: net.id, floating_network_id: outside.id })
      expect(made.floating_ip).toMatch(/\./)
      const floating = made.floating_ip_id!
      fixture.cleanup(() => fixture.networking.floatingIps.delete(cloud.member, floating))
      expect(await cloud.row<FloatingIp>('floating_ip', floating)).toMatchObject({ port_id: made.port_id })
      await settled(made.id)
      const { loadBalancers } = balancing()
      expect(await loadBalancers.update(cloud.member, made.id, { floating_ip: null })).toMatchObject({
        floating_ip: null,
      })
      expect(await cloud.row<FloatingIp>('floating_ip', floating)).toMatchObject({ port_id: null })
      const again = await loadBalancers.update(cloud.member, made.id, { floating_ip: made.floating_ip })
      expect(again).toMatchObject({ floating_ip: made.floating_ip, floating_ip_id: floating })
    })

    test('refuses invalid drafts with field errors, and leaves nothing behind', async () => {
      if (!isThere()) return
      const { cloud } = fixture
      const net = await fixture.network()
      const inNet = (place: number) => memberAt(net.subnets[0]!.cidr.split('/')[0]!, place)
      const draft = (said: object) => LoadBalancerDraft.parse({ name: 'never made', network_id: net.id, ...said })
      const cases: [object, string][] = [
        [{ network_id: 'no-such-network' }, 'network_id'],
        [{ ip_version: 6 }, 'network_id'],
        [{ address: '203.0.113.77' }, 'address'],
        [{ flavor_id: 'no-such-flavor' }, 'flavor_id'],
        [{ floating_ip: '203.0.113.99' }, 'floating_ip'],
        [{ address: inNet(70), pools: [{ ...tcp, members: [{ address: inNet(70) }] }] }, 'pools.0.members.0.address'],
        [{ pools: [{ ...tcp, members: [{ address: 'fd00::5' }] }] }, 'pools.0.members.0.address'],
        [{ pools: [{ ...tcp, allowed_cidrs: ['fd00::/8'] }] }, 'pools.0.allowed_cidrs.0'],
        ...(cloud.balancingCapabilities.high_availability
          ? []
          : [[{ ha_enabled: true }, 'ha_enabled'] as [object, string]]),
      ]
      for (const [said, field] of cases)
        expect(await refusal(balancing().loadBalancers.create(cloud.member, draft(said))), field).toMatchObject({
          fields: { [field]: [expect.any(String)] },
        })
      const unknown = PoolDraft.parse({ loadbalancer_id: 'no-such-balancer', ...tcp })
      expect(await refusal(balancing().loadBalancerPools.create(cloud.member, unknown))).toMatchObject({
        fields: { loadbalancer_id: [expect.any(String)] },
      })
      expect(await refusal(balancing().loadBalancers.delete(cloud.member, 'no-such-balancer'))).toMatchObject({
        code: 'not_found',
      })
      // a load balancer left behind would keep the network in use
      await fixture.networking.networks.delete(cloud.member, net.id, { vlanInterfaces: true })
    })
  })
}
