import { bare, canonical, versionOf } from '../addresses'
import { explainReach } from './reach'
import { protocolOf } from './balancers'
import { tunnelsFrom, tunnelsOf, type ReachTunnel } from './tunnels'
import type { AskedQuestion, ReachExplanation } from './types'
import type { WantedNetworks, WantedPort } from '../wanted'

/*
 * Reachability of a port from outside. The port's own address is usually not routed there, so a connection goes through
 * a floating IP or load balancer unless the port is in an external network.
 */

type FromOutside = AskedQuestion & { from: 'outside' | { address: string }; to: { portId: string } }

interface Way {
  /** The address that the client connects to. */
  address: string
  port: number | null
  /** The wanted state to follow the path in. */
  within: WantedNetworks
  /** Whether the path goes through a load balancer, whose member may be another port with the same address. */
  passesOn: boolean
}

/**
 * Returns the first path on which an outside client reaches a port, or if there is none, the reason the first path
 * fails. `way` is the address and port that the client connects to; null if no address leads to the port. A client
 * behind the peer of a VPN connection uses its tunnel.
 */
export function explainFromOutside(
  wanted: WantedNetworks,
  question: FromOutside,
  tunnels: readonly ReachTunnel[] = tunnelsOf(wanted),
): ReachExplanation & { way: Pick<Way, 'address' | 'port'> | null } {
  const target = wanted.ports.find(({ id }) => id === question.to.portId)
  if (!target) return { ...explainReach(wanted, question, tunnels), way: null }
  const byTunnel = isOfPeer(question, target, tunnels)
    ? { ...explainReach(wanted, question, tunnels), way: null }
    : null
  if (byTunnel?.allowed) return byTunnel
  const found = waysTo(wanted, target, question).flatMap((way) => {
    const { address, port } = way
    const it = explainReach(way.within, { ...question, to: { address }, port }, tunnels)
    const arrives = it.steps.some((step) => 'portId' in step && step.portId === target.id)
    return way.passesOn && it.allowed && !arrives ? [] : [{ ...it, question, way: { address, port } }]
  })
  return found.find(({ allowed }) => allowed) ?? byTunnel ?? found[0] ?? nothingLeadsTo(question)
}

const nothingLeadsTo = (question: FromOutside) => ({
  ...{ question, allowed: false, steps: [], way: null },
  obstacle: { kind: 'no_outside_address', portId: question.to.portId } as const,
})

const isOfPeer = ({ from }: FromOutside, { addresses }: WantedPort, tunnels: readonly ReachTunnel[]): boolean =>
  from !== 'outside' &&
  addresses.some(
    (address) => tunnelsFrom(tunnels, { source: canonical(from.address), destination: address }).length > 0,
  )

function waysTo(wanted: WantedNetworks, target: WantedPort, { protocol, port, from }: FromOutside): Way[] {
  const plain = { port, within: wanted, passesOn: false }
  const mine = new Set(target.addresses.map(canonical))
  const version =
    protocol === 'icmp' ? 4 : protocol === 'icmpv6' ? 6 : from === 'outside' ? null : versionOf(from.address)
  const ways = addressesOutside(wanted, target).map((address): Way => ({ ...plain, address }))
  for (const balancer of wanted.balancers) {
    const at = wanted.ports.find(({ id }) => id === balancer.portId)
    for (const pool of at ? balancer.pools : []) {
      if (pool.memberPort !== port || protocolOf(pool) !== protocol) continue
      const isMine = ({ address }: { address: string }) => mine.has(bare(address))
      const narrowed = { ...pool, members: pool.members.filter(isMine), down: pool.down.filter(isMine) }
      if (narrowed.members.length + narrowed.down.length === 0) continue
      const within = { ...wanted, balancers: [{ ...balancer, pools: [narrowed] }] }
      for (const address of addressesOutside(wanted, at!))
        ways.push({ address, port: pool.port, within, passesOn: true })
    }
  }
  return ways.filter(({ address }) => version === null || versionOf(address) === version)
}

/** Returns the floating IPs assigned to a port, and its own addresses if it is in an external network. */
function addressesOutside({ networks, floating }: WantedNetworks, { id, networkId, addresses }: WantedPort): string[] {
  const isExternal = networks.some((network) => network.id === networkId && network.external !== null)
  return [
    ...floating.filter(({ portId }) => portId === id).map(({ address }) => bare(address)),
    ...(isExternal ? addresses.map(canonical) : []),
  ]
}
