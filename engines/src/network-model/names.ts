import { createHash } from 'node:crypto'
import { remembered } from './remembered'

/*
 * Names of kernel objects: a letter and ten hex digits of the ID's digest, because device names are limited to 15
 * bytes. The probability that two IDs share a name is about 1 in 10¹².
 */

const digest = remembered((text) => createHash('sha256').update(text).digest('hex').slice(0, 10))

/** Names of devices in the switch namespace. */
export const bridgeOf = (networkId: string) => `b${digest(networkId)}`
export const tapOf = (portId: string) => `t${digest(portId)}`
/** Names of the switch ends of a network's cables: to its own namespace, to the edge, and to a router. */
export const networkLegOf = (networkId: string) => `n${digest(networkId)}`
export const edgeLegOf = (networkId: string) => `e${digest(networkId)}`
export const routerLegOf = (portId: string) => `r${digest(portId)}`

/** Names of the switch ends of an amphora's cables: to its network, and to the link of its pair. */
export const balancerLegOf = (amphoraId: string) => `v${digest(amphoraId)}`
export const pairLegOf = (amphoraId: string) => `w${digest(amphoraId)}`
export const pairBridgeOf = (balancerId: string) => `h${digest(balancerId)}`

/** Names of devices at the edge: for a network, and for the link to its name server. */
export const edgeEndOf = (networkId: string) => `x${digest(networkId)}`
export const dnsLegOf = (networkId: string) => `d${digest(networkId)}`

/** Device names inside the namespaces of networks, load balancers and routers. */
export const insideNetwork = 'net0'
export const towardsEdge = 'up0'
export const insideBalancer = 'vip0'
export const towardsOther = 'pair0'
/** The tunnel device in a router namespace, which strongSwan creates if the kernel does not handle ESP. */
export const tunnelDevice = 'ipsec0'
export const routerEndOf = (portId: string) => `q${digest(portId)}`

export const switchSpace = 'sw'
export const edgeSpace = 'edge'
export const networkSpaceOf = (networkId: string) => `n-${digest(networkId)}`
export const routerSpaceOf = (routerId: string) => `r-${digest(routerId)}`
export const balancerSpaceOf = (amphoraId: string) => `l-${digest(amphoraId)}`

/**
 * Path of the service folders inside the capsule. They are mounted here because service users may not have access to
 * the parent folders on the host.
 */
export const servicesPlace = '/run/services'
export const servicePlaceOf = (key: string) => `${servicesPlace}/${key}`

/** Returns the folder name of a router's strongSwan process. */
export const vpnKeyOf = (routerId: string) => `k-${digest(routerId)}`

/** Returns the name of the namespace that probes use for the device of a port without a virtual machine. */
export const guestSpaceOf = (portId: string) => `probe-${digest(portId)}`

/** Returns the name of an nft set, chain or limit. */
export const ruleName = (kind: string, key: string) => `${kind}_${digest(key)}`

/** Returns a 16-bit number in hex that distinguishes a few objects of the same kind. */
export const shortNumberOf = (key: string) => Number.parseInt(digest(key).slice(0, 4), 16).toString(16)

/** Returns a locally administered MAC address for our own interfaces, derived from a key. */
export function macOf(key: string): string {
  const hex = digest(`mac ${key}`)
  return ['02', hex.slice(0, 2), hex.slice(2, 4), hex.slice(4, 6), hex.slice(6, 8), hex.slice(8, 10)].join(':')
}
