import { NetworkStatus } from '@mainstay/contract/networking/networks'
import { deviceOwners } from '@mainstay/contract/networking/ports'
import { InterfaceDraft, Router, RouterChange, RouterDraft } from '@mainstay/contract/networking/routers'
import { describe, expect, test } from 'vitest'
import { gone, refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for routers. */
export function describeRouters(start: StartCloud): void {
  describe(suiteOf('routers'), () => {
    const fixture = networkingFixture(start)
    const gatewayOf = ({ subnets: [first] }: { subnets: { gateway_ip: string | null }[] }) => first!.gateway_ip!
    const change = (said: object) => RouterChange.parse(said)
    const leg = (said: object) => InterfaceDraft.parse(said)

    test('connects networks at their gateway addresses, connects an external network, and shows both', async () => {
      const { cloud } = fixture
      const [one, two, outside] = [await fixture.network(), await fixture.network(), await fixture.external()]
      const router = await fixture.router({
        external_gateway_info: { network_id: outside.id },
        internal_interfaces: [
          { network_id: one.id },
          { network_id: two.id, ip_address: gatewayOf(two).replace(/1$/, '9') },
        ],
      })
      const row = await until('the router to be complete', async () => {
        const found = await cloud.row<Router>('router', router.id)
        return found?.interfaces_info.length === 2 && found.external_interface ? found : null
      })
      expect(Router.parse(row)).toEqual(row)
      expect(NetworkStatus.options).toContain(row.status)
      expect(row).toMatchObject({
        ...{ name: 'edge', routes: [], project_id: cloud.member.project_id, domain_id: cloud.member.domain_id },
        external_gateway_info: { network_id: outside.id, network_name: outside.name, enable_snat: true },
        external_interface: { network_id: outside.id, is_external: true },
      })
      expect(row.external_gateway_info!.external_fixed_ips.length).toBeGreaterThan(0)
      const addresses = new Map(row.interfaces_info.map((it) => [it.network_id, it.fixed_ips[0]!.ip_address]))
      expect(addresses.get(one.id)).toBe(gatewayOf(one))
      expect(addresses.get(two.id)).toBe(gatewayOf(two).replace(/1$/, '9'))
      expect(row.interfaces_info.every((it) => !it.is_external && it.network_name !== '')).toBe(true)
      const port = await fixture.row('port', row.interfaces_info[0]!.port_id)
      expect(port).toMatchObject({
        device_id: router.id,
        device_owner: deviceOwners.routerInterface,
        device_name: 'edge',
      })
      expect(await refusal(cloud.networking.ports.delete(cloud.member, port.id))).toMatchObject({ code: 'port_in_use' })
      expect(
        await refusal(cloud.networking.networks.delete(cloud.member, one.id, { vlanInterfaces: true })),
      ).toMatchObject({
        code: 'network_in_use',
        message: expect.stringContaining('edge'),
      })
    })

    test('refuses an invalid router with a field error, and leaves nothing behind', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const [net, same, bare] = [
        await fixture.network({ subnets: [{ cidr: '10.70.0.0/24' }] }),
        await fixture.network({ subnets: [{ cidr: '10.70.0.0/16' }] }),
        await fixture.network({ subnets: [] }),
      ]
      const create = (said: object) =>
        refusal(routers.create(cloud.member, RouterDraft.parse({ name: 'wrong', ...said })))
      const both = await create({ internal_interfaces: [{ network_id: net.id }, { network_id: same.id }] })
      expect(both).toMatchObject({ code: 'overlapping_subnet' })
      expect(Object.keys(both.fields)).toEqual(['internal_interfaces.1.network_id'])
      const none = await create({ internal_interfaces: [{ network_id: bare.id }] })
      expect(none).toMatchObject({
        code: 'not_routable',
        fields: { 'internal_interfaces.0.network_id': [expect.any(String)] },
      })
      const inner = await create({ external_gateway_info: { network_id: net.id } })
      expect(inner).toMatchObject({ fields: { 'external_gateway_info.network_id': [expect.any(String)] } })
      const theirs = await fixture.network({}, cloud.stranger)
      expect(await create({ internal_interfaces: [{ network_id: theirs.id }] })).toMatchObject({
        fields: { 'internal_interfaces.0.network_id': [expect.any(String)] },
      })
      // no leftover objects use these networks
      await cloud.networking.networks.delete(cloud.member, net.id, { vlanInterfaces: true })
      await cloud.networking.networks.delete(cloud.member, same.id, { vlanInterfaces: true })
    })

    test('adds and removes networks, and refuses to remove one that contains the next hop of a route', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const net = await fixture.network()
      const router = await fixture.router({ name: 'inner' })
      expect(await routers.addInterface(cloud.member, router.id, leg({ network_id: net.id }))).toMatchObject({
        interfaces_info: [{ network_id: net.id, fixed_ips: [{ ip_address: gatewayOf(net) }] }],
      })
      const hop = gatewayOf(net).replace(/1$/, '99')
      const routes = [{ destination: '172.30.0.0/16', nexthop: hop }]
      expect(await routers.update(cloud.member, router.id, change({ routes }))).toMatchObject({ routes })
      const far = change({ routes: [{ destination: '172.30.0.0/16', nexthop: '10.254.0.1' }] })
      expect(await refusal(routers.update(cloud.member, router.id, far))).toMatchObject({
        code: 'nexthop_unreachable',
        fields: { 'routes.0.nexthop': [expect.any(String)] },
      })
      const remove = () => routers.removeInterface(cloud.member, router.id, net.id)
      expect(await refusal(remove())).toMatchObject({
        code: 'router_interface_in_use',
        message: expect.stringContaining('172.30.0.0/16'),
      })
      await routers.update(cloud.member, router.id, change({ routes: [] }))
      expect(await remove()).toMatchObject({ interfaces_info: [] })
      const stranger = routers.addInterface(cloud.stranger, router.id, leg({ network_id: net.id }))
      expect(await refusal(stranger)).toMatchObject({ code: 'not_found' })
    })

    test('sets the external gateway, disables its SNAT, and removes it', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const outside = await fixture.external()
      const { id } = await fixture.router({ name: 'gate' })
      const update = (said: object) => routers.update(cloud.member, id, change(said))
      const set = await update({ external_gateway_info: { network_id: outside.id } })
      expect(set.external_gateway_info).toMatchObject({ network_id: outside.id, enable_snat: true })
      const plain = await update({ external_gateway_info: { network_id: outside.id, enable_snat: false } }).catch(
        (error: unknown) => {
          // a cloud may restrict this to its operators
          expect(error).toMatchObject({ code: expect.stringMatching(/forbidden|unsupported/) })
          return null
        },
      )
      if (plain)
        expect(plain.external_gateway_info).toMatchObject({
          enable_snat: false,
          external_fixed_ips: set.external_gateway_info!.external_fixed_ips,
        })
      expect(await update({ external_gateway_info: null, name: 'closed' })).toMatchObject({
        ...{ name: 'closed', external_gateway_info: null, external_interface: null },
      })
    })

    test('deletes a router with attached networks only if its interfaces are to be removed with it', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const net = await fixture.network({ name: 'attached' })
      const { id } = await fixture.router({ name: 'going', internal_interfaces: [{ network_id: net.id }] })
      expect(await refusal(routers.delete(cloud.member, id, { withInterfaces: false }))).toMatchObject({
        code: 'router_in_use',
        message: expect.stringContaining('attached'),
      })
      expect(await refusal(routers.delete(cloud.stranger, id, { withInterfaces: true }))).toMatchObject({
        code: 'not_found',
      })
      await routers.delete(cloud.member, id, { withInterfaces: true })
      await gone(cloud, 'router', id)
      await cloud.networking.networks.delete(cloud.member, net.id, { vlanInterfaces: true })
    })

    test('two routers that are connected to a network concurrently get different addresses', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const net = await fixture.network()
      const both = [await fixture.router({ name: 'left' }), await fixture.router({ name: 'right' })]
      const outcomes = await Promise.allSettled(
        both.map(({ id }) => routers.addInterface(cloud.member, id, leg({ network_id: net.id }))),
      )
      const addresses = outcomes.flatMap((it) =>
        it.status === 'fulfilled'
          ? it.value.interfaces_info.flatMap(({ fixed_ips }) => fixed_ips.map((ip) => ip.ip_address))
          : [],
      )
      expect(addresses).toContain(gatewayOf(net))
      expect(new Set(addresses).size).toBe(addresses.length)
    })
  })
}
