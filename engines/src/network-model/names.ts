import { createHash } from 'node:crypto'
import { remembered } from './remembered'

/*
 * Names of what stands for an object in the kernel: a letter and ten hex digits of the id's digest. A device's name has
 * 15 bytes at most. Two ids get the same name once in a million million.
 */

const digest = remembered((text) => createHash('sha256').update(text).digest('hex').slice(0, 10))

/** In the namespace of the switches. */
export const bridgeOf = (networkId: string) => `b${digest(networkId)}`
export const tapOf = (portId: string) => `t${digest(portId)}`
/** Its legs: to the namespace of the network, to the edge, to a router. */
export const networkLegOf = (networkId: string) => `n${digest(networkId)}`
export const edgeLegOf = (networkId: string) => `e${digest(networkId)}`
export const routerLegOf = (portId: string) => `r${digest(portId)}`

/** Of what carries a balancer: to its network, and to the wire between the two of a pair. */
export const balancerLegOf = (amphoraId: string) => `v${digest(amphoraId)}`
export const pairLegOf = (amphoraId: string) => `w${digest(amphoraId)}`
export const pairBridgeOf = (balancerId: string) => `h${digest(balancerId)}`

/** At the edge: the other ends, and that of the way by which a network's name server asks others. */
export const edgeEndOf = (networkId: string) => `x${digest(networkId)}`
export const dnsLegOf = (networkId: string) => `d${digest(networkId)}`

/** In the namespaces of networks and routers. */
export const insideNetwork = 'net0'
export const towardsEdge = 'up0'
export const insideBalancer = 'vip0'
export const towardsOther = 'pair0'
/** Of tunnels, in the namespace of a router: strongSwan's own, where the kernel does not protect packets itself. */
export const tunnelDevice = 'ipsec0'
export const routerEndOf = (portId: string) => `q${digest(portId)}`

export const switchSpace = 'sw'
export const edgeSpace = 'edge'
export const networkSpaceOf = (networkId: string) => `n-${digest(networkId)}`
export const routerSpaceOf = (routerId: string) => `r-${digest(routerId)}`
export const balancerSpaceOf = (amphoraId: string) => `l-${digest(amphoraId)}`

/** Where a service finds its folder in the capsule, as the folders above it on the host may be closed to the user of the service. */
export const servicesPlace = '/run/services'
export const servicePlaceOf = (key: string) => `${servicesPlace}/${key}`

/** The folder of a router's strongSwan. */
export const vpnKeyOf = (routerId: string) => `k-${digest(routerId)}`

/** Where a port's device is that no machine has. */
export const guestSpaceOf = (portId: string) => `probe-${digest(portId)}`

/** Of a set or chain of rules. */
export const ruleName = (kind: string, key: string) => `${kind}_${digest(key)}`

/** A number of 16 bits as hex digits, for what few of a kind are told apart by. */
export const shortNumberOf = (key: string) => Number.parseInt(digest(key).slice(0, 4), 16).toString(16)

/** An address that nobody else has: a leg's of our own, locally administered. */
export function macOf(key: string): string {
  const hex = digest(`mac ${key}`)
  return ['02', hex.slice(0, 2), hex.slice(2, 4), hex.slice(4, 6), hex.slice(6, 8), hex.slice(8, 10)].join(':')
}
