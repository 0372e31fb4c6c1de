import { randomUUID } from 'node:crypto'
import type { WantedRouter } from '../wanted'
import type { WantedConnection } from '../wanted-vpns'

/* Tunnels for specs, with defaults for all omitted fields. */

const addressOf = (router: WantedRouter) => router.gateway!.addresses[0]!.split('/')[0]!
/** Returns the address ranges behind a router. */
const behind = ({ interfaces }: WantedRouter) =>
  interfaces.flatMap(({ addresses }) => addresses.map((it) => it.replace(/\.\d+\/(\d+)$/, '.0/$1')))

const modern = 'aes256-sha256-modp2048'

/** Returns a connection from a router to a peer. */
export function connectionOf(
  router: WantedRouter,
  peer: { address: string; ranges: string[] },
  change: Partial<WantedConnection> = {},
): WantedConnection {
  const localAddress = addressOf(router)
  return {
    ...{ id: randomUUID(), version: 2, localAddress, peerAddress: peer.address },
    ...{ localId: localAddress, peerId: peer.address, psk: 'a key that both ends know', keyId: 'first' },
    ike: { proposal: modern, lifetime: 3600 },
    esp: { proposal: modern, lifetime: 3600 },
    ...{ local: behind(router), remote: peer.ranges, isSplit: false, begins: true },
    dpd: { action: 'hold', interval: 2, timeout: 6 },
    ...change,
  }
}

export const asPeer = (router: WantedRouter) => ({ address: addressOf(router), ranges: behind(router) })

/** Returns the opposite end of a connection. */
export const otherEnd = (
  router: WantedRouter,
  other: WantedRouter,
  connection: WantedConnection,
  change: Partial<WantedConnection> = {},
): WantedConnection =>
  connectionOf(router, asPeer(other), {
    ...connection,
    ...{ id: randomUUID(), localAddress: connection.peerAddress, peerAddress: connection.localAddress },
    ...{ localId: connection.peerId, peerId: connection.localId },
    ...{ local: connection.remote, remote: connection.local },
    ...change,
  })
