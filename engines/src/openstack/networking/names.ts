import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { unreadableIn, type Reading } from '../kind-reader'
import { readEach } from '../read-each'
import { inChunks, NamedRow, pageSize, whole } from './wire'

/*
 * Names of what ports and addresses belong to. Lists are read for all rows at once; for some rows it is asked for no more
 * than they need, and the index is asked first.
 */

export type Names = ReadonlyMap<string, string>

const namesOf = (rows: readonly z.output<typeof NamedRow>[]): Map<string, string> =>
  new Map(rows.map(({ id, name }) => [id, name || id]))

const more = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

/** Names in a list of the network service; of these rows, or (null) of all. */
export async function namesIn(
  { caller }: Reading,
  list: 'networks' | 'routers' | 'trunks',
  ids: Iterable<string> | null,
  signal?: AbortSignal,
): Promise<Names> {
  const read = (query: { id?: string[] }) => {
    const wanted = { query: { ...query, fields: ['id', 'name'], limit: pageSize }, ...more(signal) }
    return whole(caller.pages('network', `/${list}`, list, NamedRow, wanted))
  }
  try {
    return namesOf(ids === null ? await read({}) : await inChunks(ids, (id) => read({ id })))
  } catch (error) {
    // a cloud without routers, or without trunks, has no such list
    if (error instanceof Problem && error.code === 'not_found') return new Map()
    throw error
  }
}

/** Names of all instances. Where these cannot be asked for now, ports are told with the names that the index knows. */
async function namesOfAllServers(reading: Reading, signal?: AbortSignal): Promise<Names> {
  const query = { all_tenants: 1, limit: 1000 }
  try {
    return namesOf(
      await whole(reading.caller.pages('compute', '/servers', 'servers', NamedRow, { query, ...more(signal) })),
    )
  } catch (error) {
    if (!(error instanceof Problem) || !reading.records) throw error
    const known = await reading.records.transaction((tx) => tx.find<{ id: string; name: string }>('server', {}))
    return namesOf(known)
  }
}

/** Names of these instances: the index follows them, and the cloud tells those that it does not know yet. */
async function namesOfServers(reading: Reading, ids: Iterable<string>, signal?: AbortSignal): Promise<Names> {
  const names = new Map<string, string>()
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return names
  await reading.records?.transaction(async (tx) => {
    for (const id of wanted) {
      const known = await tx.get<{ id: string; name: string }>('server', id)
      if (known) names.set(id, known.name)
    }
  })
  const unknown = wanted.filter((id) => !names.has(id))
  const shape = z.object({ server: NamedRow })
  const found = await readEach(
    unknown,
    (id) => reading.caller.get('compute', `/servers/${encodeURIComponent(id)}`, shape, more(signal)),
    unreadableIn(reading, 'servers'),
  ).catch((error: unknown) => {
    if (error instanceof Problem) return new Map<string, null>()
    throw error
  })
  for (const answer of found.values()) if (answer) names.set(answer.server.id, answer.server.name || answer.server.id)
  return names
}

/** What ports belong to, by how the cloud says it. */
type Holder = 'server' | 'router' | 'trunk' | null
const holderOf = (owner: string): Holder => {
  if (owner.startsWith('compute:')) return 'server'
  if (/^network:(router_|ha_router)/.test(owner)) return 'router'
  return owner === 'trunk:subport' ? 'trunk' : null
}

interface Held {
  device_id: string
  device_owner: string
}

/**
 * Tells the names of what has ports: of instances, routers and trunks. `all`: the first time that one is needed all instances,
 * or routers, are read, and never again; otherwise only those that are needed.
 */
export function holderNames(
  reading: Reading,
  { all, signal }: { all: boolean; signal?: AbortSignal | undefined },
): (ports: readonly Held[]) => Promise<Names> {
  const lists = new Map<Holder, Promise<Names>>()
  const once = (holder: Holder, read: () => Promise<Names>): Promise<Names> => {
    const names = lists.get(holder) ?? read()
    lists.set(holder, names)
    return names
  }
  return async (ports) => {
    const idsOf = (holder: Holder) =>
      ports.flatMap((port) => (port.device_id !== '' && holderOf(port.device_owner) === holder ? [port.device_id] : []))
    const [servers, routers, trunks] = [idsOf('server'), idsOf('router'), idsOf('trunk')]
    const ofAll = (ids: string[]) => all && ids.length > 0
    const named = await Promise.all([
      ofAll(servers)
        ? once('server', () => namesOfAllServers(reading, signal))
        : namesOfServers(reading, servers, signal),
      ofAll(routers)
        ? once('router', () => namesIn(reading, 'routers', null, signal))
        : namesIn(reading, 'routers', routers, signal),
      namesIn(reading, 'trunks', trunks, signal),
    ])
    return new Map(named.flatMap((names) => [...names]))
  }
}
