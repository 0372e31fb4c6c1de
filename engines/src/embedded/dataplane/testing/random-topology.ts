import type { ReachQuestion, WantedGroup, WantedNetworks, WantedPort, WantedRule } from '../../../network-model/wanted'
import {
  floatingOf,
  groupOf,
  networkOf,
  portOf,
  routerOf,
  subnetOf,
  wantedOf,
} from '../../../network-model/testing/wanted-examples'
import { randomOf } from '../../../../../tools/lib/tier.mjs'

/** Returns functions for random choices, reproducible from a seed. */
export function chance(seed: number) {
  const next = randomOf(seed)
  const below = (most: number) => Math.floor(next() * most)
  return {
    below,
    is: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    some: <Item>(items: readonly Item[], most: number): Item[] => items.filter(() => next() < 0.5).slice(0, most),
  }
}

const ports = [22, 80, 443, 8080]

/** Generates up to six tenant networks, some with the same addresses, behind up to three routers, with floating IPs. */
export function randomTopology(seed: number): WantedNetworks {
  const { below, is, pick, some } = chance(seed)
  const external = networkOf(['203.0.113.0/24', '2001:db8:5::/64'], { external: { vlan: null } })
  const nat = networkOf(['10.20.0.0/24'], { nat: true })
  const private_ = Array.from({ length: 4 + below(3) }, (_, at) =>
    networkOf(
      [
        subnetOf(`10.${at % 4}.0.0/24`, is(0.1) ? { gateway: null } : {}),
        ...(is(0.5) ? [subnetOf(`fd00:${at + 1}::/64`)] : []),
      ],
      { up: !is(0.05) },
    ),
  )
  const networks = [external, nat, ...private_]
  const groupIds = Array.from({ length: 4 }, () => groupOf([]).id)
  const groups = groupIds.map((id): WantedGroup => randomGroup(id))

  function randomGroup(id: string): WantedGroup {
    const rules: Partial<WantedRule>[] = Array.from({ length: 2 + below(5) }, () => {
      const version = pick([4, 4, 6] as const)
      const protocol = pick([null, 'tcp', 'tcp', 'udp', version === 4 ? 'icmp' : 'icmpv6'])
      const port = pick(ports)
      const hasPorts = protocol === 'tcp' || protocol === 'udp'
      return {
        ...{ direction: pick(['ingress', 'egress', 'ingress'] as const), version, protocol },
        ...(hasPorts && is(0.8) ? { portMin: port, portMax: port + (is(0.3) ? 400 : 0) } : {}),
        remote: is(0.4)
          ? null
          : is(0.5)
            ? { groupId: pick(groupIds) }
            : {
                cidr:
                  version === 4
                    ? pick(['10.0.0.0/8', '10.1.0.0/24', '0.0.0.0/0', '203.0.113.0/24'])
                    : pick(['fd00::/16', 'fd00:1::/64', '::/0']),
              },
      }
    })
    if (is(0.7)) rules.push({ direction: 'egress' }, { direction: 'egress', version: 6 })
    return groupOf(rules, id)
  }

  const guests: WantedPort[] = [nat, ...private_].flatMap((network) =>
    Array.from({ length: 1 + below(3) }, (_, at) => {
      const isOpen = is(0.15)
      return portOf(network, 11 + at, {
        up: !is(0.04),
        spoofingProtection: !isOpen,
        securityGroups: isOpen ? [] : some(groupIds, 3),
      })
    }),
  )
  // each network has at most one router, and no router connects two networks with the same addresses
  const left = [...private_]
  const routers = Array.from({ length: 1 + below(3) }, (_, at) => {
    const taken = new Set<string>()
    const own = left.filter((network) => {
      const [subnet] = network.subnets
      if (!is(0.6) || taken.has(subnet!.cidr) || subnet!.gateway === null) return false
      taken.add(subnet!.cidr)
      return true
    })
    for (const network of own) left.splice(left.indexOf(network), 1)
    return routerOf(own, is(0.8) ? { network: external, at: 10 + at, snat: !is(0.2) } : null, { up: !is(0.06) })
  })
  const floating = routers.flatMap((router, at) => {
    const behind = guests.filter(({ networkId }) => router.interfaces.some((it) => it.networkId === networkId))
    return router.gateway && behind.length > 0 ? [floatingOf(`203.0.113.${50 + at}`, router, pick(behind))] : []
  })
  return wantedOf({ networks, ports: guests, routers, groups, floating })
}

/** Generates random questions, each with its destination address. */
export function someQuestions(wanted: WantedNetworks, seed: number, many: number) {
  const { is, pick } = chance(seed + 7)
  const targets = [
    ...wanted.floating.map(({ address }) => address),
    '203.0.113.1',
    '10.20.0.1',
    '203.0.113.10',
    '203.0.113.99',
    ...['2001:db8:5::1', '2001:db8:5::10', '2001:db8:5::11'],
  ]
  return Array.from({ length: many }, (): { question: ReachQuestion; address: string } => {
    const from = is(0.1) ? ('outside' as const) : { portId: pick(wanted.ports).id }
    const sender = from === 'outside' ? null : wanted.ports.find(({ id }) => id === from.portId)!
    // from outside, only external addresses are tested
    const isNear = from === 'outside' || is(0.25)
    const address = isNear
      ? pick(
          targets.filter((it) =>
            from === 'outside'
              ? it.startsWith('203.') && it !== '203.0.113.1'
              : !it.includes(':') || sender!.addresses.length > 1,
          ),
        )
      : pick(pick(wanted.ports).addresses.filter((it) => !it.includes(':') || (sender?.addresses.length ?? 0) > 1))
    const protocol = pick(['tcp', 'tcp', 'udp', address.includes(':') ? 'icmpv6' : 'icmp'] as const)
    const isEcho = protocol === 'icmp' || protocol === 'icmpv6'
    return { address, question: { from, to: { address }, protocol, port: isEcho ? null : pick(ports) } }
  })
}
