import { isIP } from 'node:net'
import { canonical, isInside, readCidr, versionOf } from '../addresses'
import type { WantedNetworks, WantedRouter } from '../wanted'

/* Selects the tunnel for a packet by the tunnel's local and remote ranges. */

/** A router's tunnel, with the data required to follow packets. */
export interface ReachTunnel {
  id: string
  routerId: string
  /** Null while the router has no external address of the peer's IP version. */
  localAddress: string | null
  /** An address or a host name. */
  peerAddress: string
  local: readonly string[]
  remote: readonly string[]
  isUp: boolean
}

/** Returns the tunnels in a wanted state. `isUp` tells whether a connection is established. */
export const tunnelsOf = ({ vpns }: WantedNetworks, isUp: (id: string) => boolean = () => true): ReachTunnel[] =>
  vpns.flatMap(({ routerId, connections }) =>
    connections.map(({ id, localAddress, peerAddress, local, remote }) => ({
      ...{ id, routerId, localAddress, peerAddress, local, remote, isUp: isUp(id) },
    })),
  )

interface Ends {
  source: string
  destination: string
}

const isIn = (address: string, ranges: readonly string[]): boolean =>
  ranges.some((cidr) => {
    const range = readCidr(cidr)
    return range.version === versionOf(address) && isInside(address, range)
  })

/** Returns the router's tunnel that matches source and destination, or null if there is none. */
export const tunnelOut = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** Returns the router's tunnel that matches the destination but not the source, or null if there is none. */
export const tunnelBeside = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && !isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** Whether a router's own address is the peer address of a tunnel. Never true for a peer given by host name. */
const isSame = (own: string | null, peer: string): boolean =>
  own !== null && isIP(peer) !== 0 && canonical(own) === canonical(peer)

/**
 * Returns the opposite end of a tunnel, if it is a router of this installation with matching ranges, otherwise null.
 */
export function otherEndOf(
  tunnels: readonly ReachTunnel[],
  { peerAddress, localAddress }: ReachTunnel,
  { source, destination }: Ends,
): ReachTunnel | null {
  return (
    tunnels.find(
      (it) =>
        isSame(it.localAddress, peerAddress) &&
        isSame(localAddress, it.peerAddress) &&
        isIn(source, it.remote) &&
        isIn(destination, it.local),
    ) ?? null
  )
}

/**
 * Returns the tunnels through which packets from a remote address enter, and whether each of them leads to the
 * destination.
 */
export const tunnelsFrom = (tunnels: readonly ReachTunnel[], { source, destination }: Ends) =>
  tunnels
    .filter(({ remote }) => isIn(source, remote))
    .map((tunnel) => ({ tunnel, leadsThere: isIn(destination, tunnel.local) }))
