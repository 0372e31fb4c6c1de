import { bare } from '../addresses'
import {
  bridgeOf,
  dnsLegOf,
  edgeEndOf,
  edgeLegOf,
  edgeSpace,
  insideNetwork,
  macOf,
  networkLegOf,
  networkSpaceOf,
  pairBridgeOf,
  routerEndOf,
  routerSpaceOf,
  switchSpace,
  tapOf,
  towardsEdge,
} from '../names'
import type { WantedNetwork, WantedNetworks, WantedPort } from '../wanted'
import { balancerCables, balancerSpacePlans, isPair } from './balancers'
import { edgeSpacePlan, leadsOutside } from './edge'
import { balancerPlans } from './haproxy'
import { networkDaemon, networkSpacePlan, routerDaemon, servedSubnets } from './naming'
import { forwardKey, type Numbers } from './numbers'
import { vpnPlan, vpnRules, type Esp } from './vpns'
import type { CablePlan, Compiled, DaemonPlan, ForwardPlan, MetadataDoor, TapPlan } from './plan'
import { routerCables, routerSpacePlan } from './routers'
import { soundPart, type Sound } from './sound'
import { switchRules } from './switch-rules'

/** Compiles the wanted state to kernel and file plans. Pure function; `numbers` come from `assignNumbers`. */
export function compile(
  wanted: WantedNetworks,
  numbers: Numbers,
  esp: Esp = 'userland',
  stands?: Compiled['stands'],
): Compiled {
  const sound = soundPart(wanted, stands)
  const { networks, ports, routers, balancers, vpns, faults } = sound
  const portIds = new Set(ports.map(({ id }) => id))
  const byId = new Map(networks.map((network) => [network.id, network]))
  const portsOf = grouped(sound)
  const outside = networks.filter(leadsOutside)
  const served = networks.filter((network) => servedSubnets(network).length > 0)
  const forwards = forwardsOf(sound, numbers)
  const daemons = [
    ...served.map((network) => networkDaemon(network, portsOf(network.id))),
    ...routers.map((router) => routerDaemon(router, byId, portsOf)),
  ].filter((it): it is DaemonPlan => it !== null)
  const cables = [
    ...outside.map(edgeCable),
    ...served.flatMap((network) => [networkCable(network), dnsCable(network)]),
    ...routers.flatMap((router) => routerCables(router, byId)),
    ...balancers.flatMap((balancer) => balancerCables(balancer, byId.get(balancer.networkId)!.mtu)),
  ]
  const spaces = [
    edgeSpacePlan({ networks: outside, named: served, forwards, numbers }),
    ...served.map((network) => networkSpacePlan(network, numbers.zones[network.id]!)),
    ...routers.map((router) =>
      routerSpacePlan(
        router,
        byId,
        sound.floating.filter(({ routerId }) => routerId === router.id),
        vpnRules(
          router,
          vpns.find(({ routerId }) => routerId === router.id),
          esp,
        ),
      ),
    ),
    ...balancers.flatMap(balancerSpacePlans),
  ]
  return {
    bridges: [
      ...networks.map(({ id, mtu, up }) => ({ name: bridgeOf(id), mtu, up })),
      ...balancers.filter(isPair).map(({ id }) => ({ name: pairBridgeOf(id), mtu: 1500, up: true })),
    ],
    taps: [
      ...ports.filter(hasTap).map(({ id, networkId, up, rate }) => ({
        ...{ name: tapOf(id), portId: id, bridge: bridgeOf(networkId), mtu: byId.get(networkId)!.mtu, up },
        toGuestBits: rate?.toGuestBits ?? null,
      })),
      ...wanted.ports.filter((port) => hasTap(port) && !portIds.has(port.id)).map(({ id }) => loose(id)),
    ],
    cables,
    spaces,
    rules: switchRules(sound, numbers, { cables, spaces }),
    daemons,
    balancers: balancers.filter(({ up }) => up).flatMap(balancerPlans),
    vpns: vpns.map((vpn) => vpnPlan(vpn, esp)),
    doors: doorsOf(sound, outside, served),
    forwards,
    zones: networks.map(({ id }) => ({ networkId: id, zone: numbers.zones[id]! })),
    faults,
    stands: { networks, ports, routers },
  }
}

const hasTap = ({ owner }: WantedPort) => owner !== 'router' && owner !== 'balancer'

/**
 * Keeps the tap of an invalid port, but detaches it: a virtual machine may have the tap open, and would not be
 * connected to a new one.
 */
const loose = (id: string): TapPlan => ({
  ...{ name: tapOf(id), portId: id, bridge: null, mtu: 1500, up: false, toGuestBits: null },
})

function grouped({ ports }: WantedNetworks) {
  const found = new Map<string, WantedNetworks['ports']>()
  for (const port of ports) {
    const others = found.get(port.networkId)
    if (others) others.push(port)
    else found.set(port.networkId, [port])
  }
  return (networkId: string) => found.get(networkId) ?? []
}

const edgeCable = ({ id, mtu }: WantedNetwork): CablePlan => ({
  outer: { space: switchSpace, name: edgeLegOf(id), bridge: bridgeOf(id) },
  inner: { space: edgeSpace, name: edgeEndOf(id), mac: macOf(`edge ${id}`) },
  mtu,
})
const networkCable = ({ id, mtu }: WantedNetwork): CablePlan => ({
  outer: { space: switchSpace, name: networkLegOf(id), bridge: bridgeOf(id) },
  inner: { space: networkSpaceOf(id), name: insideNetwork, mac: macOf(`network ${id}`) },
  mtu,
})
const dnsCable = ({ id }: WantedNetwork): CablePlan => ({
  outer: { space: edgeSpace, name: dnsLegOf(id), bridge: null },
  inner: { space: networkSpaceOf(id), name: towardsEdge, mac: macOf(`names ${id}`) },
  mtu: 1500,
})

/** If a host port is published twice, the first one wins. */
function forwardsOf({ floating }: Sound, numbers: Numbers): ForwardPlan[] {
  const found = new Map<string, ForwardPlan>()
  for (const { address, published } of floating) {
    for (const one of published) {
      const key = forwardKey(one)
      if (!found.has(key)) found.set(key, { ...one, floatingAddress: bare(address), edgePort: numbers.forwards[key]! })
    }
  }
  return [...found.values()]
}

function doorsOf({ routers }: Sound, outside: WantedNetwork[], served: WantedNetwork[]): MetadataDoor[] {
  const isServed = new Set(served.map(({ id }) => id))
  return [
    ...served.map(({ id }) => ({ networkId: id, space: networkSpaceOf(id), device: null })),
    ...outside
      .filter(({ id }) => isServed.has(id))
      .map(({ id }) => ({ networkId: id, space: edgeSpace, device: edgeEndOf(id) })),
    ...routers.flatMap(({ id, interfaces }) =>
      interfaces
        .filter(({ networkId }) => isServed.has(networkId))
        .map(({ portId, networkId }) => ({ networkId, space: routerSpaceOf(id), device: routerEndOf(portId) })),
    ),
  ]
}
