import { isIP } from 'node:net'
import { canonical, isInside, readCidr, versionOf } from '../addresses'
import type { WantedNetworks, WantedRouter } from '../wanted'

/* Which tunnel a packet belongs into, for following it: a pair of ranges decides, one at each side. */

/** A tunnel of a router, as far as the way of packets needs it. */
export interface ReachTunnel {
  id: string
  routerId: string
  /** Null while the router has none. */
  localAddress: string | null
  /** An address, or a name. */
  peerAddress: string
  local: readonly string[]
  remote: readonly string[]
  isUp: boolean
}

/** Tunnels of a wanted state; `isUp` says of a connection whether its ends have agreed. */
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

/** The tunnel of a router that takes a packet to the other side; null: none has both of its ends. */
export const tunnelOut = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** The tunnel of a router that has the destination at its other side, and not the source at this one; null: none. */
export const tunnelBeside = (tunnels: readonly ReachTunnel[], router: WantedRouter, { source, destination }: Ends) =>
  tunnels.find(
    ({ routerId, local, remote }) => routerId === router.id && !isIn(source, local) && isIn(destination, remote),
  ) ?? null

/** Whether a router's address is that of a peer; a name is nobody's here. */
const isSame = (own: string | null, peer: string): boolean =>
  own !== null && isIP(peer) !== 0 && canonical(own) === canonical(peer)

/** The other end of a tunnel where it is one of these routers, and what is set up there has these ranges; null: it is elsewhere. */
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

/** The tunnels that an address comes through from the other side, and which of them lead to the destination. */
export const tunnelsFrom = (tunnels: readonly ReachTunnel[], { source, destination }: Ends) =>
  tunnels
    .filter(({ remote }) => isIn(source, remote))
    .map((tunnel) => ({ tunnel, leadsThere: isIn(destination, tunnel.local) }))
