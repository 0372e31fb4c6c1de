import {
  Network,
  networkKind,
  NetworkStatus,
  PrivateNetworkDraft,
  VlanNetworkDraft,
} from '@mainstay/contract/networking/networks'
import { slaacAddress, parseRange } from '@mainstay/contract/networking/addresses'
import { Subnet, SubnetDraft } from '@mainstay/contract/networking/subnets'
import type { Port } from '@mainstay/contract/networking/ports'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for networks and their subnets. */
export function describeNetworks(start: StartCloud): void {
  describe(suiteOf('networks'), () => {
    const fixture = networkingFixture(start)
    const draft = (said: object) => PrivateNetworkDraft.parse({ name: 'wrong', ...said })
    const subnet = (network_id: string, said: object) => SubnetDraft.parse({ network_id, ...said })

    test('creates a private network with its subnets in one call, and returns all details', async () => {
      const { cloud, networking } = fixture
      const made = await fixture.network({
        name: 'backend',
        mtu: 1400,
        subnets: [
          { cidr: '192.168.77.0/24', dns_nameservers: ['9.9.9.9'], name: 'four' },
          { cidr: 'fd00:77::/64', ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' },
        ],
      })
      expect(Network.parse(made)).toEqual(made)
      expect(made).toMatchObject({
        ...{ name: 'backend', type: 'vxlan', mtu: 1400, shared: false, ipam_enabled: true, router_external: false },
        ...{ vlan_id: null, spoofing_protection: true, rbac_policies: [], project_id: cloud.member.project_id },
      })
      expect(made.subnets.toSorted((a, b) => a.ip_version - b.ip_version)).toMatchObject([
        {
          ...{ name: 'four', network_id: made.id, cidr: '192.168.77.0/24', ip_version: 4, gateway_ip: '192.168.77.1' },
          ...{ enable_dhcp: true, dns_nameservers: ['9.9.9.9'], ipv6_address_mode: null, ipv6_ra_mode: null },
          allocation_pools: [{ start: '192.168.77.2', end: '192.168.77.254' }],
        },
        { cidr: 'fd00:77::/64', ip_version: 6, ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' },
      ])
      expect(NetworkStatus.options).toContain(made.status)
      expect(NetworkStatus.options).toEqual([
        ...['ACTIVE', 'DOWN', 'BUILD', 'ERROR', 'PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE'],
      ])
      expect((await fixture.row<Network>('network', made.id)).name).toBe('backend')
      for (const { id } of made.subnets) expect(Subnet.parse(await fixture.row('subnet', id))).toMatchObject({ id })
      // other projects see neither the network nor its subnets
      const { stranger } = cloud
      for (const call of [
        () => networking.networks.update(stranger, made.id, { name: 'mine now' }),
        () => networking.networks.delete(stranger, made.id, { vlanInterfaces: true }),
        () => networking.subnets.update(stranger, made.subnets[0]!.id, { name: 'mine' }),
        () => networking.subnets.delete(stranger, made.subnets[0]!.id),
      ])
        expect(await refusal(call())).toMatchObject({ code: 'not_found' })
      expect(networkKind.systemOnly).toContain('physical_network')
    })

    test('two projects can use the same address range', async () => {
      const { cloud } = fixture
      const said = { subnets: [{ cidr: '10.66.0.0/24' }] }
      const ours = await fixture.network(said)
      const theirs = await fixture.network(said, cloud.stranger)
      expect([ours, theirs].map(({ subnets: [it] }) => it!.cidr)).toEqual(['10.66.0.0/24', '10.66.0.0/24'])
    })

    test('refuses an invalid network with a field error, and creates nothing', async () => {
      const { cloud, networking } = fixture
      const create = (said: object) => refusal(networking.networks.createPrivate(cloud.member, draft(said)))
      const wrong: [object, string, string][] = [
        [{ subnets: [{ cidr: '10.1.0.0/30' }] }, 'subnets.0.cidr', 'validation'],
        [{ subnets: [{ cidr: '10.1.0.0/24', gateway_ip: '10.2.0.1' }] }, 'subnets.0.gateway_ip', 'validation'],
        [
          { subnets: [{ cidr: '10.1.0.0/24', allocation_pools: [{ start: '10.1.0.1', end: '10.1.0.9' }] }] },
          ...(['subnets.0.allocation_pools.0', 'gateway_in_pool'] as const),
        ],
        [{ subnets: [{ cidr: '10.1.0.0/24', ip_version: 6 }] }, 'subnets.0.ip_version', 'validation'],
        [{ subnets: [{ cidr: '10.1.0.0/24' }, { cidr: '10.2.0.0/24' }] }, 'subnets.1.cidr', 'validation'],
        [{ subnets: [{ cidr: 'fd00:9::/80', ipv6_address_mode: 'slaac' }] }, 'subnets.0.cidr', 'validation'],
        [{ mtu: 1279, subnets: [{ cidr: 'fd00:9::/64' }] }, 'mtu', 'validation'],
      ]
      for (const [said, field, code] of wrong) {
        const refused = await create(said)
        expect(refused, JSON.stringify(said)).toMatchObject({ code })
        expect(Object.keys(refused.fields)).toContain(field)
      }
    })

    test('renames a network, and its ports show the new name', async () => {
      const { cloud, networking } = fixture
      const { id } = await fixture.network()
      const port = await fixture.port(id)
      expect(await networking.networks.update(cloud.member, id, { name: 'renamed' })).toMatchObject({ name: 'renamed' })
      await until('the port to show it', async () => {
        const row = await cloud.row<Port>('port', port.id)
        return row?.network_name === 'renamed'
      })
      expect(await refusal(networking.networks.update(cloud.member, id, { rbac_policies: [] }))).toMatchObject({
        code: 'validation',
        fields: { rbac_policies: [expect.any(String)] },
      })
    })

    test('adds, changes and deletes subnets, at most one per IP version', async () => {
      const { cloud, networking } = fixture
      const { id } = await fixture.network({ subnets: [] })
      expect(await fixture.row<Network>('network', id)).toMatchObject({ ipam_enabled: false, subnets: [] })
      const four = await networking.subnets.create(cloud.member, subnet(id, { cidr: '10.5.0.0/24' }))
      const six = await networking.subnets.create(cloud.member, subnet(id, { cidr: 'fd00:5::/64' }))
      expect(six).toMatchObject({ ipv6_address_mode: 'slaac', gateway_ip: 'fd00:5::1' })
      const row = await fixture.row<Network>('network', id)
      expect(row).toMatchObject({ ipam_enabled: true })
      expect(row.subnets.map((it) => it.id).toSorted()).toEqual([four.id, six.id].toSorted())
      const again = await refusal(networking.subnets.create(cloud.member, subnet(id, { cidr: '10.6.0.0/24' })))
      expect(again).toMatchObject({ code: 'conflict', fields: { cidr: [expect.any(String)] } })

      const changed = await networking.subnets.update(cloud.member, four.id, {
        gateway_ip: '10.5.0.254',
        dns_nameservers: ['9.9.9.9', '149.112.112.112'],
        name: 'four',
      })
      expect(changed).toMatchObject({ gateway_ip: '10.5.0.254', dns_nameservers: ['9.9.9.9', '149.112.112.112'] })
      expect(changed.allocation_pools).toEqual([{ start: '10.5.0.1', end: '10.5.0.253' }])
      expect((await fixture.row<Network>('network', id)).subnets).toContainEqual(
        expect.objectContaining({ id: four.id, gateway_ip: '10.5.0.254', name: 'four' }),
      )
      const bad = await refusal(networking.subnets.update(cloud.member, four.id, { gateway_ip: '10.9.0.1' }))
      expect(bad).toMatchObject({ code: 'validation', fields: { gateway_ip: [expect.any(String)] } })

      const port = await fixture.port(id, { name: 'holds', fixed_ips: [{ ip_address: '10.5.0.77' }] })
      const used = await refusal(networking.subnets.delete(cloud.member, four.id))
      expect(used).toMatchObject({ code: 'subnet_in_use', message: expect.stringContaining('holds') })
      await networking.ports.delete(cloud.member, port.id)
      await networking.subnets.delete(cloud.member, four.id)
      await networking.subnets.delete(cloud.member, six.id)
      expect(await fixture.row<Network>('network', id)).toMatchObject({ subnets: [], ipam_enabled: false })
    })

    test('refuses to delete a network in use, and names the objects that use it', async () => {
      const { cloud, networking } = fixture
      const { id } = await fixture.network()
      const port = await fixture.port(id, { name: 'camera' })
      const remove = () => networking.networks.delete(cloud.member, id, { vlanInterfaces: true })
      const refused = await refusal(remove())
      expect(refused).toMatchObject({ code: 'network_in_use', message: expect.stringContaining('camera') })
      await networking.ports.delete(cloud.member, port.id)
      await remove()
      expect(await cloud.row('network', id)).toBeNull()
      expect(await refusal(remove())).toMatchObject({ code: 'not_found' })
    })

    test('ports in a SLAAC subnet get the address derived from their MAC, and cannot choose another', async () => {
      const { cloud, networking } = fixture
      const { id } = await fixture.network({ subnets: [{ cidr: '10.8.0.0/24' }, { cidr: 'fd00:8::/64' }] })
      const port = await fixture.port(id, { mac_address: '52:54:00:77:88:99' })
      expect(port.fixed_ips.map(({ ip_address }) => ip_address)).toContain(
        slaacAddress(parseRange('fd00:8::/64')!, '52:54:00:77:88:99'),
      )
      expect(port.fixed_ips).toHaveLength(2)
      const chosen = { network_id: id, fixed_ips: [{ ip_address: 'fd00:8::77' }] }
      expect(await refusal(networking.ports.create(cloud.member, chosen))).toMatchObject({
        fields: { fixed_ips: [expect.any(String)] },
      })
      const managed = await fixture.network({
        subnets: [{ cidr: 'fd00:88::/64', ipv6_address_mode: 'dhcpv6-stateful', ipv6_ra_mode: 'dhcpv6-stateful' }],
      })
      const given = await fixture.port(managed.id, { fixed_ips: [{ ip_address: 'fd00:88::77' }] })
      expect(given.fixed_ips).toMatchObject([{ ip_address: 'fd00:88::77' }])
    })

    test('only operators can create external and VLAN networks, and policies control who can use them', async () => {
      const { cloud, networking } = fixture
      const outside = await fixture.external()
      expect(outside).toMatchObject({ router_external: true, status: 'ACTIVE' })
      const { operator, member } = cloud
      const on = await networking.networks.physicalNetworks(operator)
      const carrier = on.find(({ vlans }) => vlans)
      if (!carrier) return
      const vlan = (said: object) =>
        VlanNetworkDraft.parse({ name: 'lab', vlan_network: carrier.name, vlan_id: 2042, ...said })
      const made = await networking.networks.createVlan(
        operator,
        vlan({ subnets: [{ cidr: '198.51.100.0/24' }], rbac_policies: [] }),
      )
      fixture.cleanup(() => networking.networks.delete(operator, made.id, { vlanInterfaces: true }))
      expect(made).toMatchObject({ type: 'vlan', vlan_id: 2042, task_id: expect.any(String) })
      await until(
        'the network to be made',
        async () => (await fixture.row<Network>('network', made.id)).status === 'ACTIVE',
      )
      expect(await refusal(networking.networks.createVlan(operator, vlan({ name: 'again' })))).toMatchObject({
        code: 'vlan_in_use',
        fields: { vlan_id: [expect.any(String)] },
      })
      const nowhere = vlan({ vlan_network: 'no-such-network', vlan_id: 2043 })
      expect(await refusal(networking.networks.createVlan(operator, nowhere))).toMatchObject({
        code: 'no_vm_public',
        fields: { vlan_network: [expect.any(String)] },
      })
      const attach = () => networking.ports.create(member, { network_id: made.id })
      expect(await refusal(attach())).toMatchObject({ fields: { network_id: [expect.any(String)] } })
      const share = (rbac_policies: Network['rbac_policies']) =>
        networking.networks.update(operator, made.id, { rbac_policies: rbac_policies as never })
      await share([{ target_project: '*', actions: ['direct', 'routed'] }])
      const port = await attach()
      expect((await fixture.row<Network>('network', made.id)).rbac_policies).toMatchObject([{ target_project: '*' }])
      expect(await refusal(share([]))).toMatchObject({ code: 'network_in_use' })
      await networking.ports.delete(member, port.id)
      await share([])
      expect(await refusal(attach())).toMatchObject({ fields: { network_id: [expect.any(String)] } })
    })
  })
}
