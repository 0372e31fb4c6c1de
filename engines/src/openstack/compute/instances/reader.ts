import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import * as z from 'zod'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach, rowOfEach } from '../../read-each'
import { instanceOf, isGone } from './shape'
import { devicesOf, relationsOf, relationsOfAll, type Around } from './relations'
import { serverVersion, WireServer } from './wire'

/** Servers in all projects, each with its ports, volumes, image and flavor. */
export const instanceReader: KindReader<Instance> = {
  kind: 'server',
  service: 'compute',
  list: 'servers',

  async *all(reading, signal) {
    const around = relationsOfAll(reading, signal)
    // a rejection is handled where the promise is awaited below
    around.catch(() => undefined)
    const pages = reading.caller.pages('compute', '/servers/detail', 'servers', WireServer, {
      version: serverVersion,
      query: { all_tenants: 1 },
      ...(signal && { signal }),
    })
    for await (const page of pages) yield rowsOf(reading, page, await around, signal)
  },

  async some(reading, ids, signal) {
    const read = readEach(ids, (id) => serverOf(reading, id, signal), unreadableIn(reading, 'servers'))
    const found = read.then((servers) => [...servers.values()].filter((server) => server !== null))
    const [servers, around] = await Promise.all([found, relationsOf(reading, ids, found, signal)])
    const rows = await rowsOf(reading, servers, around, signal)
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map(ids.map((id) => [id, byId.get(id) ?? null]))
  },

  async changedSince(reading, since, signal) {
    const pages = reading.caller.pages('compute', '/servers', 'servers', z.object({ id: z.string() }), {
      version: serverVersion,
      query: { all_tenants: 1, 'changes-since': since.toISOString() },
      ...(signal && { signal }),
    })
    const ids: string[] = []
    for await (const page of pages) ids.push(...page.map(({ id }) => id))
    return ids
  },

  shownBy: ({ volumes, network_data }) => [
    ...volumes.map(({ id }) => ({ kind: 'volume', id })),
    ...network_data.map(({ port_id }) => ({ kind: 'port', id: port_id })),
  ],
  // ports include the instance's name, and their status depends on the instance's status
  shownAs: ({ name, status }) => [name, status],

  isBusy: (row) => instanceInProgress(row) || isYetToSayWhy(row),
}

/**
 * Whether the reason for an error may still follow. Nova sets the ERROR status shortly before the fault, and sends no
 * notification about the fault.
 */
const isYetToSayWhy = ({ status, fault, updated }: Instance): boolean =>
  status === 'ERROR' && fault === null && Date.now() - Date.parse(updated) < 60_000

async function serverOf({ caller }: Reading, id: string, signal?: AbortSignal): Promise<WireServer> {
  const path = `/servers/${encodeURIComponent(id)}`
  const shape = z.object({ server: WireServer })
  return (await caller.get('compute', path, shape, { version: serverVersion, ...(signal && { signal }) })).server
}

async function rowsOf(
  reading: Reading,
  servers: readonly WireServer[],
  around: Around,
  signal?: AbortSignal,
): Promise<Instance[]> {
  const there = servers.filter((server) => !isGone(server))
  const devices = await devicesOf(reading, there, around, signal)
  return rowOfEach(reading, 'servers', there, async (server) =>
    instanceOf(server, { ...around, devices }, await reading.domainOf(server.tenant_id)),
  )
}
