import { isIP } from 'node:net'
import { canonical, isInside, readCidr, versionOf } from '../addresses'
import type { WantedNetworks, WantedRouter } from '../wanted'

/* Selects the tunnel of a packet by its local and remote ranges. */

/** A tunnel of a router, with what is needed to follow packets. */
export interface ReachTunnel {
  id: string
  routerId: string
  /** Null while the router has no such address. */
  localAddress: string | null
  /** An address or a host name. */
  peerAddress: string
  local: readonly string[]
  remote: readonly string[]
  isUp: boolean
}

/** The tunnels of a wanted state. `isUp` tells whether a connection is established. */
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

/** The tunnel of a router that matches source and destination; null if there is none. */
export const tunnelOut = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** The tunnel of a router that matches the destination but not the source; null if there is none. */
export const tunnelBeside = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && !isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** Whether the peer has a router's address. Never true for a peer given by host name. */
const isSame = (own: string | null, peer: string): boolean =>
  own !== null && isIP(peer) !== 0 && canonical(own) === canonical(peer)

/**
 * The opposite end of a tunnel, if it is a router of this installation with matching ranges; null if it is elsewhere.
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

/** Tunnels through which a remote address enters, and whether they include the destination. */
export const tunnelsFrom = (tunnels: readonly ReachTunnel[], { source, destination }: Ends) =>
  tunnels
    .filter(({ remote }) => isIn(source, remote))
    .map((tunnel) => ({ tunnel, leadsThere: isIn(destination, tunnel.local) }))
