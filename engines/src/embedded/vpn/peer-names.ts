import { lookup } from 'node:dns/promises'
import { versionOf } from '@mainstay/contract/networking/addresses'
import { peerAddressFault } from '@mainstay/contract/vpn/rules'

/* Resolves peers given by name. The host does this, because routers have no resolver. */

const withinMs = 3_000
const againMs = 60_000

export interface PeerNames {
  /** Resolves these peers. The returned function gives a peer's address, or null if the peer has no valid address. */
  addressesOf(peers: readonly string[]): Promise<(peer: string) => string | null>
  close(): void
}

/** Calls `changed` when the address of a peer has changed. */
export function openPeerNames(changed: () => void, find = addressNow): PeerNames {
  const known = new Map<string, string | null>()
  const timer = setInterval(() => void refresh(), againMs).unref()

  async function refresh(): Promise<void> {
    const before = JSON.stringify([...known])
    await Promise.all([...known.keys()].map(async (name) => known.set(name, await find(name))))
    if (JSON.stringify([...known]) !== before) changed()
  }

  return {
    async addressesOf(peers) {
      const names = new Set(peers.filter((peer) => versionOf(peer) === null))
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
      await Promise.all([...names].map(async (name) => known.has(name) || known.set(name, await find(name))))
      return (peer) => (versionOf(peer) === null ? (known.get(peer) ?? null) : peer)
    },
    close: () => clearInterval(timer),
  }
}

async function addressNow(name: string): Promise<string | null> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), withinMs).unref())
  const found = await Promise.race([lookup(name, { all: true }), late]).catch(() => [])
  const addresses = found.map(({ address }) => address).filter((address) => peerAddressFault(address) === null)
  return addresses.find((address) => versionOf(address) === 4) ?? addresses[0] ?? null
}
