import { FloatingIp, FloatingIpChange, FloatingIpDraft } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { parseAddress, parseRange, isInRange } from '@mainstay/contract/networking/addresses'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for floating IPs. */
export function describeFloatingIps(start: StartCloud): void {
  describe(suiteOf('floating IPs'), () => {
    const fixture = networkingFixture(start)
    const create = async (said: object = {}) => {
      const { cloud, networking } = fixture
      const draft = FloatingIpDraft.parse({ floating_network_id: (await fixture.external()).id, ...said })
      const made = await networking.floatingIps.create(cloud.member, draft)
      fixture.cleanup(() => networking.floatingIps.delete(cloud.member, made.id))
      return made
    }
    const update = (id: string, said: object) =>
      fixture.networking.floatingIps.update(fixture.cloud.member, id, FloatingIpChange.parse(said))
    /** Returns a network connected to a router with an external gateway, and a port on the network. */
    const reachable = async (): Promise<{ net: Network; port: Port; routerId: string }> => {
      const [net, outside] = [await fixture.network(), await fixture.external()]
      const router = await fixture.router({
        external_gateway_info: { network_id: outside.id },
        internal_interfaces: [{ network_id: net.id }],
      })
      return { net, port: await fixture.port(net.id, { name: 'web' }), routerId: router.id }
    }

    test('allocates an unassigned floating IP from an external network', async () => {
      const { cloud } = fixture
      const outside = await fixture.external()
      const made = await create({ description: 'for the shop' })
      expect(FloatingIp.parse(made)).toEqual(made)
      expect(made).toMatchObject({
        ...{ status: 'DOWN', floating_network_id: outside.id, floating_network_name: outside.name },
        ...{ port_id: null, fixed_ip_address: null, router_id: null, attachment: null, description: 'for the shop' },
        ...{ project_id: cloud.member.project_id, domain_id: cloud.member.domain_id },
      })
      const range = parseRange(outside.subnets.find(({ ip_version }) => ip_version === 4)!.cidr)!
      expect(isInRange(parseAddress(made.floating_ip_address)!, range)).toBe(true)
      const { floatingIps } = cloud.networking
      expect(await refusal(floatingIps.update(cloud.stranger, made.id, { description: '' }))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(floatingIps.delete(cloud.stranger, made.id))).toMatchObject({ code: 'not_found' })
      await floatingIps.delete(cloud.member, made.id)
      expect(await cloud.row('floating_ip', made.id)).toBeNull()
    })

    test('assigns a floating IP only to port addresses that a router connects to its external network', async () => {
      const { cloud } = fixture
      const lonely = await fixture.port((await fixture.network()).id)
      const floating = await create()
      const refused = await refusal(update(floating.id, { port_id: lonely.id }))
      expect(refused).toMatchObject({ code: 'not_routable', fields: { port_id: [expect.any(String)] } })
      expect(await refusal(update(floating.id, { port_id: 'no-such-port' }))).toMatchObject({
        fields: { port_id: [expect.any(String)] },
      })
      const { port, routerId } = await reachable()
      const [{ ip_address } = { ip_address: '' }] = port.fixed_ips
      const assigned = await update(floating.id, { port_id: port.id, fixed_ip_address: ip_address })
      expect(assigned).toMatchObject({ port_id: port.id, fixed_ip_address: ip_address, router_id: routerId })
      await until(
        'the floating IP to become active',
        async () => (await cloud.row<FloatingIp>('floating_ip', floating.id))?.status === 'ACTIVE',
      )
      await until('the port to list the floating IP', async () =>
        (await cloud.row<Port>('port', port.id))?.floating_ips.includes(floating.id),
      )
      const second = await create()
      expect(await refusal(update(second.id, { port_id: port.id }))).toMatchObject({
        code: 'port_already_has_fip',
        fields: { port_id: [expect.any(String)] },
      })
      expect(await refusal(cloud.networking.ports.delete(cloud.member, port.id))).toMatchObject({ code: 'port_in_use' })
      expect(await update(floating.id, { port_id: null })).toMatchObject({ port_id: null, fixed_ip_address: null })
      expect(await update(second.id, { port_id: port.id })).toMatchObject({ fixed_ip_address: ip_address })
      await update(second.id, { port_id: null })
    })

    test('refuses to remove the gateway, network or router that a floating IP depends on', async () => {
      const { cloud } = fixture
      const { routers } = cloud.networking
      const { net, port, routerId } = await reachable()
      const floating = await create({ port_id: port.id })
      const address = expect.stringContaining(floating.floating_ip_address)
      const calls: [() => Promise<unknown>, string][] = [
        [() => routers.update(cloud.member, routerId, { external_gateway_info: null }), 'router_in_use'],
        [() => routers.removeInterface(cloud.member, routerId, net.id), 'router_interface_in_use'],
        [() => routers.delete(cloud.member, routerId, { withInterfaces: true }), 'router_in_use'],
      ]
      for (const [call, code] of calls) expect(await refusal(call())).toMatchObject({ code, message: address })
      await update(floating.id, { port_id: null })
      await routers.update(cloud.member, routerId, { external_gateway_info: null })
    })

    test('refuses to allocate a floating IP from a tenant network', async () => {
      const { cloud, networking } = fixture
      const net = await fixture.network()
      const draft = FloatingIpDraft.parse({ floating_network_id: net.id })
      expect(await refusal(networking.floatingIps.create(cloud.member, draft))).toMatchObject({
        fields: { floating_network_id: [expect.any(String)] },
      })
    })
  })
}
