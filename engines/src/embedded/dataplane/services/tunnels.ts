import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Esp } from '../../../network-model/compile/vpns'
import type { VpnPlan } from '../../../network-model/compile/plan'
import type { TunnelReport, WantedConnection } from '../../../network-model/wanted-vpns'
import { viciSocket } from './charon'
import { asConnection, childrenOf, tunnelsIn } from './tunnel-messages'
import { peerIn, verdictOf } from './verdicts'
import { watchTunnel, type WatchedTunnel } from './tunnel-watch'
import { openVici, type Vici, type ViciSection } from './vici'

/*
 * Loads a router's tunnels into its strongSwan, initiates tunnels that are down, and collects their state. Loaded
 * connections are recorded on disk, so that a new server process does not interrupt existing tunnels.
 */

export interface Tunnels {
  plan: VpnPlan
  /**
   * Loads changed connections. Returns the errors reported by strongSwan, by connection ID. Throws if strongSwan does
   * not respond.
   */
  follow(): Promise<Map<string, string>>
  /**
   * Updates the state of all tunnels and initiates those that are due. `waits`: number of packets that waited for a
   * tunnel, by connection ID.
   */
  look(waits: ReadonlyMap<string, number> | null): Promise<void>
  /** Whether `look` requires the number of waiting packets. */
  readonly counts: boolean
  restart(id: string): Promise<void>
  /** Marks all tunnels as down with this reason, because strongSwan cannot be queried. */
  lost(reason: string): void
  reports(): [id: string, report: TunnelReport][]
  close(): void
}

interface Given {
  plan: VpnPlan
  folder: string
  esp: Esp
}

const loadedFile = 'loaded.json'

export function openTunnels({ plan: first, folder, esp }: Given): Tunnels {
  let plan = first
  let vici: Vici | null = null
  let opening: Promise<Vici> | null = null
  let loaded = new Map<string, string>()
  const watched = new Map<string, WatchedTunnel>()
  /** Digest of each watched connection. */
  const watchedAs = new Map<string, string>()
  /** Peer addresses by security association ID, until it is known which connection the association belongs to. */
  const unnamed = new Map<string, string>()

  const connectionOf = (id: string) => plan.connections.find((it) => it.id === id)

  function hear({ msg, 'ikesa-name': name, 'ikesa-uniqueid': number }: ViciSection): void {
    if (typeof msg !== 'string') return
    const key = typeof number === 'string' ? number : ''
    const peer = peerIn(msg)
    if (peer !== null) {
      if (unnamed.size > 1000) unnamed.clear()
      unnamed.set(key, peer)
    }
    const isNamed = typeof name === 'string' && watched.has(name)
    const whose = isNamed
      ? [name]
      : plan.connections.filter(({ peerAddress }) => peerAddress === unnamed.get(key)).map(({ id }) => id)
    for (const id of whose) {
      const connection = connectionOf(id)
      if (connection) watched.get(id)?.heard(msg, verdictOf(msg, connection))
    }
  }

  /** Connects to strongSwan if necessary, and reads which connections it has loaded. */
  async function opened(): Promise<Vici> {
    if (vici?.isOpen) return vici
    opening ??= (async () => {
      const made = await openVici(join(folder, viciSocket), ['log'], (_, message) => hear(message))
      const { conns = [] } = await made.ask('get-conns')
      const written = readLoaded(join(folder, loadedFile))
      loaded = new Map((conns as string[]).map((id) => [id, written[id] ?? 'unknown']))
      return (vici = made)
    })().finally(() => (opening = null))
    return opening
  }

  function write(): void {
    const file = join(folder, loadedFile)
    writeFileSync(`${file}.part`, JSON.stringify(Object.fromEntries(loaded)), { mode: 0o600 })
    renameSync(`${file}.part`, file)
  }

  const end = (to: Vici, id: string) =>
    to.ask('terminate', { ike: id, force: 'yes', timeout: '500' }).catch(() => undefined)

  async function unload(to: Vici, id: string): Promise<void> {
    loaded.delete(id)
    write()
    await to.ask('unload-conn', { name: id }).catch(() => undefined)
    await end(to, id)
    await to.ask('unload-shared', { id }).catch(() => undefined)
  }

  async function load(to: Vici, connection: WantedConnection): Promise<string | null> {
    const { id, localId, peerId, psk } = connection
    try {
      await to.ask('load-shared', { id, type: 'IKE', data: psk, owners: [localId, peerId] })
      await to.ask('load-conn', { [id]: asConnection(connection, esp) })
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    loaded.set(id, digestOf(connection))
    write()
    return null
  }

  function watch(connection: WantedConnection): void {
    watched.set(connection.id, watchTunnel(connection))
    watchedAs.set(connection.id, digestOf(connection))
  }
  function forget(id: string): void {
    watched.delete(id)
    watchedAs.delete(id)
  }

  async function begin(to: Vici, connection: WantedConnection): Promise<void> {
    for (const child of childrenOf(connection))
      await to.ask('initiate', { ike: connection.id, child: child.name, timeout: '-1' }).catch(() => undefined)
  }

  return {
    get plan() {
      return plan
    },
    set plan(next) {
      plan = next
    },
    get counts() {
      return plan.connections.some(({ id }) => watched.get(id)?.isWaiting)
    },
    async follow() {
      const to = await opened()
      const faults = new Map<string, string>()
      for (const id of loaded.keys()) if (!connectionOf(id)) await unload(to, id)
      for (const id of watched.keys()) if (!connectionOf(id)) forget(id)
      for (const connection of plan.connections) {
        const { id } = connection
        const digest = digestOf(connection)
        const isWatched = watchedAs.get(id) === digest
        if (!isWatched) watch(connection)
        if (loaded.get(id) === digest) continue
        if (loaded.has(id)) await unload(to, id)
        if (isWatched) watched.get(id)!.loadedAgain()
        const fault = await load(to, connection)
        if (fault !== null) faults.set(id, fault)
      }
      return faults
    },
    async look(waits) {
      const to = await opened()
      if (plan.connections.some((connection) => loaded.get(connection.id) !== digestOf(connection))) await this.follow()
      const standing = tunnelsIn(await to.list('list-sas', 'list-sa'))
      for (const connection of plan.connections) {
        const it = watched.get(connection.id)
        if (it?.seen(standing.get(connection.id) ?? [], waits?.get(connection.id) ?? null)) await begin(to, connection)
      }
    },
    async restart(id) {
      const to = await opened()
      const connection = connectionOf(id)
      if (!connection) return
      await end(to, id)
      watch(connection)
      if (connection.begins) await begin(to, connection)
    },
    lost(reason) {
      for (const it of watched.values()) it.lost(reason)
    },
    reports: () => [...watched].map(([id, it]) => [id, it.report()]),
    close: () => vici?.close(),
  }
}

/** Returns the digest of all settings except for the pre-shared key, which is represented by `keyId`. */
const digestOf = ({ psk: _, ...connection }: WantedConnection): string =>
  createHash('sha256').update(JSON.stringify(connection)).digest('hex')

function readLoaded(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}
