import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { LoadBalancerDraft, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { PoolMember } from '@mainstay/contract/load-balancing/members'
import { PoolChange, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { PrivateNetworkDraft, PublicNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { compileWanted } from '../../networking/compile-wanted'
import type { ProjectScope } from '../../ports/scope'
import { pause } from '../../host/processes'
import { isRoot } from '../dataplane/capsule/processes'
import { webServer } from '../dataplane/testing/balancer-traffic'
import { createSampleNetworks, openBed, type Bed } from '../dataplane/testing/bed'
import type { Dataplane } from '../../network-model/wanted'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from './embedded-cloud'

/*
 * For specs: load balancers with real packets in a capsule. Members and clients are namespaces, and their machines are
 * simulated.
 */

export interface Place {
  id: string
  instance: string
  address: string
}

export interface RealBalancers {
  bed: Bed
  cloud: SimulatedCloud
  /** Network of the project, behind a router to `outside`. */
  net: Network
  outside: Network
  /** Allows incoming TCP and UDP. */
  group: SecurityGroup
  /** Creates a machine with one network interface, and a namespace that acts as its guest. */
  machine(name: string, groupId?: string, owner?: ProjectScope, network?: Network): Promise<Place>
  /** Creates a machine with a running `webServer`. */
  web(name: string, groupId?: string, owner?: ProjectScope, network?: Network): Promise<Place>
  from(place: { id: string }, script: string): Promise<string>
  /** Creates a load balancer and waits until it is active. */
  create(draft: object, owner?: ProjectScope): Promise<LoadBalancer>
  balancer(id: string): LoadBalancer
  pool(id: string): LoadBalancerPool
  changePool(id: string, change: object): Promise<LoadBalancerPool>
  member(poolId: string, address: string): PoolMember
  healthIs(poolId: string, address: string, health: string): Promise<void>
  remove(id: string): Promise<void>
  close(): Promise<void>
}

const healthWithinMs = 30_000

export const ours = memberOf('ours')

export async function openRealBalancers(): Promise<RealBalancers> {
  const bed = await openBed({ rootless: !isRoot() })
  const { available, missing } = await bed.calls.probe()
  if (!available) throw new Error(missing.map(({ because }) => because).join(', '))
  const { probe, apply, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel } = bed.calls
  const dataplane: Dataplane = {
    ...{ probe, apply, plug, unplug, counters, health, check, balancers, tunnels, restartTunnel },
    ...{ answerMetadata: () => undefined, onAvailable: () => () => undefined, close: async () => undefined },
  }
  const cloud = await openSimulatedCloud({ dataplane })
  const { networks, routers, securityGroups, securityGroupRules } = cloud.networking
  const outside = await networks.createPublic(
    operator,
    PublicNetworkDraft.parse({
      ...{ name: 'outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    }),
  )
  await cloud.server.idle()
  const net = await networks.createPrivate(
    ours,
    PrivateNetworkDraft.parse({ name: 'web', subnets: [{ cidr: '10.0.0.0/24' }] }),
  )
  await routers.create(
    ours,
    RouterDraft.parse({
      ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: [{ network_id: net.id }],
    }),
  )
  const group = await securityGroups.create(ours, { name: 'web', description: '' })
  for (const protocol of ['tcp', 'udp'])
    await securityGroupRules.create(
      ours,
      SecurityGroupRuleDraft.parse({ security_group_id: group.id, direction: 'ingress', protocol }),
    )

  const pids: number[] = []
  const { memory } = cloud
  const wanted = () =>
    compileWanted(
      {
        networks: memory.all<Network>('network'),
        ports: memory.all<Port>('port'),
        routers: memory.all<Router>('router'),
        groups: memory.all<SecurityGroup>('security_group'),
        floating: memory.all<FloatingIp>('floating_ip'),
      },
      { snatSix: true },
    )
  const from = (place: { id: string }, script: string) => bed.from(place.id, script).then((said) => said.trim())
  async function machine(name: string, groupId = group.id, owner = ours, network = net): Promise<Place> {
    const [row] = await cloud.compute.instances.create(
      owner,
      InstanceDraft.parse({
        ...{ name, flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
        networks: [{ id: network.id, security_groups: [groupId] }],
      }),
    )
    await cloud.server.idle()
    const card = memory.get<Instance>('server', row!.id)!.network_data[0]!
    await bed.calls.plug(card.port_id)
    const all = wanted()
    await createSampleNetworks(bed, all, [all.ports.find(({ id }) => id === card.port_id)!])
    return { id: card.port_id, instance: row!.id, address: card.fixed_ips[0]!.ip_address }
  }
  const balancer = (id: string) => memory.get<LoadBalancer>('load_balancer', id)!
  const pool = (id: string) => memory.get<LoadBalancerPool>('lb_pool', id)!
  const member = (poolId: string, address: string) => pool(poolId).members.find((it) => it.address === address)!
  return {
    ...{ bed, cloud, net, outside, group, machine, from, balancer, pool, member },
    async web(...words) {
      const made = await machine(...words)
      pids.push(Number((await from(made, webServer(words[0]))).split('\n').at(-1)))
      return made
    },
    async create(draft, owner = ours) {
      const { id } = await cloud['load-balancing'].loadBalancers.create(
        owner,
        LoadBalancerDraft.parse({ name: 'shop', network_id: net.id, ...draft }),
      )
      await cloud.server.idle()
      const row = balancer(id)
      if (row.status !== 'ACTIVE') throw new Error(`${row.name} is ${row.status}: ${row.fault}`)
      return row
    },
    changePool: (id, change) => cloud['load-balancing'].loadBalancerPools.update(ours, id, PoolChange.parse(change)),
    async healthIs(poolId, address, is) {
      for (const end = Date.now() + healthWithinMs; member(poolId, address).health !== is; await pause(20))
        if (Date.now() > end) throw new Error(`${address} is ${JSON.stringify(member(poolId, address))}, and not ${is}`)
    },
    async remove(id) {
      await cloud['load-balancing'].loadBalancers.delete(ours, id)
      await cloud.server.idle()
    },
    async close() {
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      await cloud.close()
      await bed.end()
    },
  }
}
