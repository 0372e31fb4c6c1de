import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { FloatingIpDraft, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { PrivateNetworkDraft, PublicNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { compileWanted } from '../../networking/compile-wanted'
import { openBed, createSampleNetworks, tryPing, tryTcp, type Bed } from '../dataplane/testing/bed'
import type { Dataplane } from '../../network-model/wanted'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../testing/embedded-cloud'

const test = testOn('networks')

/*
 * Tests that packets behave as the records say. The engine's records are applied to real switches, rules and routers in
 * a capsule. Guests are namespaces; their instances are simulated.
 */

const scope = memberOf('ours')
let bed: Bed
let cloud: SimulatedCloud

beforeAll(async () => {
  bed = await openBed({ rootless: true })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
  const { probe, apply, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel } = bed.calls
  const dataplane: Dataplane = {
    ...{ probe, apply, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel },
    ...{ answerMetadata: () => undefined, onAvailable: () => () => undefined, close: async () => undefined },
  }
  cloud = await openSimulatedCloud({ dataplane })
})
afterAll(async () => {
  await cloud.close()
  await bed.end()
})

const rows = () => ({
  networks: cloud.memory.all<Network>('network'),
  ports: cloud.memory.all<Port>('port'),
  routers: cloud.memory.all<Router>('router'),
  groups: cloud.memory.all<SecurityGroup>('security_group'),
  floating: cloud.memory.all<FloatingIp>('floating_ip'),
})

/** Creates an instance with one interface, and a namespace in place of its guest. */
async function machine(name: string, network: string, groups?: string[]): Promise<{ id: string; address: string }> {
  const [row] = await cloud.compute.instances.create(
    scope,
    InstanceDraft.parse({
      ...{ name, flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
      networks: [{ id: network, ...(groups && { security_groups: groups }) }],
    }),
  )
  await cloud.server.idle()
  const card = cloud.memory.get<Instance>('server', row!.id)!.network_data[0]!
  await bed.calls.plug(card.port_id)
  const wanted = compileWanted(rows(), { snatSix: true })
  await createSampleNetworks(bed, wanted, [wanted.ports.find(({ id }) => id === card.port_id)!])
  return { id: card.port_id, address: card.fixed_ips[0]!.ip_address }
}
const from = (port: { id: string }, script: string) => bed.from(port.id, script).then((said) => said.trim())

test('instances can reach each other and be reached from outside only as their records allow', async () => {
  const { networks, routers, floatingIps, securityGroups, securityGroupRules } = cloud.networking
  const outside = await networks.createPublic(
    operator,
    PublicNetworkDraft.parse({
      ...{ name: 'outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    }),
  )
  await cloud.server.idle()
  expect(cloud.memory.get('network', outside.id)).toMatchObject({ status: 'ACTIVE' })
  const [left, right] = await Promise.all(
    ['10.0.0.0/24', '10.1.0.0/24'].map((cidr, at) =>
      networks.createPrivate(scope, PrivateNetworkDraft.parse({ name: `net ${at}`, subnets: [{ cidr }] })),
    ),
  )
  const closed = await securityGroups.create(scope, { name: 'web', description: '' })
  const [a, b, c] = [
    await machine('first', left!.id),
    await machine('second', left!.id),
    await machine('third', right!.id, [closed.id]),
  ]
  // members of the default group can reach each other, and the other network has no router yet
  expect(await Promise.all([from(a, tryPing(b.address)), from(a, tryPing(c.address))])).toEqual(['answered', 'silent'])

  const router = await routers.create(
    scope,
    RouterDraft.parse({
      ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: [{ network_id: left!.id }, { network_id: right!.id }],
    }),
  )
  const rule = await securityGroupRules.create(
    scope,
    SecurityGroupRuleDraft.parse({
      ...{ security_group_id: closed.id, direction: 'ingress', protocol: 'tcp' },
      ...{ port_range_min: 80, port_range_max: 80 },
    }),
  )
  const floating = await floatingIps.create(
    scope,
    FloatingIpDraft.parse({ floating_network_id: outside.id, port_id: c.id }),
  )
  await cloud.engine.carrier.settled()
  const there = floating.floating_ip_address
  expect(
    await Promise.all([
      ...[from(a, tryTcp(c.address, 80)), from(a, tryTcp(c.address, 22)), from(c, tryPing(a.address))],
      ...[bed.run('edge', tryTcp(there, 80)), bed.run('edge', tryTcp(there, 22)), from(b, tryTcp(there, 80))],
    ]).then((said) => said.map((it) => it.trim())),
  ).toEqual(['refused', 'silent', 'silent', 'refused', 'silent', 'refused'])

  await securityGroupRules.delete(scope, rule.id)
  await cloud.engine.carrier.settled()
  expect(await from(a, tryTcp(c.address, 80))).toBe('silent')
  for (const row of [...rows().networks, ...rows().routers, ...rows().ports, ...rows().floating])
    expect(row.fault ?? null).toBeNull()
  expect(cloud.memory.get('router', router.id)).toMatchObject({ status: 'ACTIVE' })
})
