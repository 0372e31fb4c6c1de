import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { unreadableIn, type Reading } from '../kind-reader'
import { readEach } from '../read-each'
import { inChunks, NamedRow, pageSize, whole } from './wire'

/*
 * Names of the owners of ports and addresses. A full read lists all names once. A read of individual rows looks up only
 * the names that it requires, first in the index.
 */

export type Names = ReadonlyMap<string, string>

const namesOf = (rows: readonly z.output<typeof NamedRow>[]): Map<string, string> =>
  new Map(rows.map(({ id, name }) => [id, name || id]))

const more = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

/** Reads names from a list of the network service, for these IDs or, if null, for all rows. */
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
    // clouds without routers or trunks have no such list
    if (error instanceof Problem && error.code === 'not_found') return new Map()
    throw error
  }
}

/** Returns the names of all instances. If the cloud cannot list them now, names from the index are used. */
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

/** Returns the names of these instances: from the index, or from the cloud if they are not in the index yet. */
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

/** Type of a port's owner, from its `device_owner`. */
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
 * Returns a function that looks up the names of port owners: instances, routers and trunks. With `all`, it lists all
 * instances or all routers when the first such name is required; otherwise, it reads only the required names.
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
