import { volumeInProgress, volumeIsErrored } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import * as z from 'zod'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach, rowOfEach } from '../../read-each'
import { WireTime } from '../../wire-time'
import { latestMessage } from '../latest-message'

/** A volume in Cinder, without fields for migrations between hosts. */
export const WireVolume = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  status: z.string(),
  /** In GiB. */
  size: z.number(),
  bootable: z.union([z.boolean(), z.string().transform((text) => text.toLowerCase() === 'true')]),
  attachments: z.array(
    z.object({
      server_id: z.string().nullish(),
      device: z.string().nullish(),
      attached_at: WireTime.nullish(),
    }),
  ),
  volume_type: z.string().nullish(),
  volume_image_metadata: z.looseObject({ image_id: z.string().nullish(), image_name: z.string().nullish() }).nullish(),
  'os-vol-tenant-attr:tenant_id': z.string(),
  'os-vol-host-attr:host': z.string().nullish(),
  user_id: z.string().nullish(),
  created_at: WireTime,
  updated_at: WireTime.nullish(),
})
export type WireVolume = z.output<typeof WireVolume>

/** Data for a volume's row that comes from other calls. */
interface Around {
  domainId: string
  serverNames: ReadonlyMap<string, string>
  fault: string | null
}

export const volumeOf = (volume: WireVolume, { domainId, serverNames, fault }: Around): Volume => ({
  id: volume.id,
  // volumes created with an instance have no name
  name: volume.name || volume.id,
  description: volume.description ?? '',
  status: volume.status,
  progress: null,
  fault,
  size: volume.size * GiB,
  bootable: volume.bootable,
  attachments: volume.attachments.flatMap(({ server_id, device, attached_at }) =>
    server_id
      ? [
          {
            server_id,
            server_name: serverNames.get(server_id) ?? server_id,
            device: device?.replace(/^\/dev\//, '') || null,
            attached_at: attached_at ?? volume.updated_at ?? volume.created_at,
          },
        ]
      : [],
  ),
  storage_policy_name: volume.volume_type ?? '',
  'os-vol-host-attr:host': volume['os-vol-host-attr:host'] || null,
  image_id: volume.volume_image_metadata?.image_id ?? null,
  image_name: volume.volume_image_metadata?.image_name ?? null,
  project_id: volume['os-vol-tenant-attr:tenant_id'],
  domain_id: domainId,
  user_id: volume.user_id ?? '',
  created_at: volume.created_at,
  updated_at: volume.updated_at ?? volume.created_at,
})

const WireName = z.object({ id: z.string(), name: z.string() })
const nameVersion = '2.1'

async function allServerNames({ caller }: Reading, signal: AbortSignal | undefined): Promise<Map<string, string>> {
  const options = { query: { all_tenants: 1 }, version: nameVersion, ...(signal && { signal }) }
  const names = new Map<string, string>()
  for await (const page of caller.pages('compute', '/servers', 'servers', WireName, options))
    for (const { id, name } of page) names.set(id, name)
  return names
}

async function serverNamesOf(reading: Reading, volumes: readonly WireVolume[], signal: AbortSignal | undefined) {
  const ids = volumes.flatMap(({ attachments }) => attachments.flatMap(({ server_id }) => server_id ?? []))
  const options = { version: nameVersion, ...(signal && { signal }) }
  const shape = z.object({ server: WireName })
  const readOne = (id: string) => reading.caller.get('compute', `/servers/${id}`, shape, options)
  const found = await readEach(ids, readOne, unreadableIn(reading, 'servers'))
  return new Map([...found].flatMap(([id, answer]) => (answer ? [[id, answer.server.name] as const] : [])))
}

async function rowOf(reading: Reading, volume: WireVolume, serverNames: ReadonlyMap<string, string>): Promise<Volume> {
  const domainId = await reading.domainOf(volume['os-vol-tenant-attr:tenant_id'])
  const fault = volumeIsErrored(volume) ? await latestMessage(reading, volume.id) : null
  return volumeOf(volume, { domainId, serverNames, fault })
}

const pageSize = 500
/** How long a reserved volume counts as being attached; a longer reservation belongs to a shelved instance. */
const reservedMs = 10 * 60_000

/** Volumes in all projects. */
export const volumeReader: KindReader<Volume> = {
  kind: 'volume',
  service: 'volume',
  list: 'volumes',

  async *all(reading, signal) {
    const names = allServerNames(reading, signal)
    // a rejection is handled where the promise is awaited below
    names.catch(() => undefined)
    const options = { query: { all_tenants: 1, limit: pageSize }, ...(signal && { signal }) }
    for await (const page of reading.caller.pages('volume', '/volumes/detail', 'volumes', WireVolume, options)) {
      const serverNames = await names
      yield await rowOfEach(reading, 'volumes', page, (volume) => rowOf(reading, volume, serverNames))
    }
  },

  async some(reading, ids, signal) {
    const options = signal ? { signal } : {}
    const shape = z.object({ volume: WireVolume })
    const readOne = async (id: string) => {
      const { volume } = await reading.caller.get('volume', `/volumes/${encodeURIComponent(id)}`, shape, options)
      return volume
    }
    const found = await readEach(ids, readOne, unreadableIn(reading, 'volumes'))
    const volumes = [...found.values()].filter((volume) => volume !== null)
    const names = await serverNamesOf(reading, volumes, signal)
    const rows = await rowOfEach(reading, 'volumes', volumes, (volume) => rowOf(reading, volume, names))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map(ids.map((id) => [id, byId.get(id) ?? null]))
  },

  shownBy: ({ attachments }) => attachments.map(({ server_id: id }) => ({ kind: 'server', id })),

  isBusy({ status, updated_at }) {
    if (status === 'reserved') return Date.parse(updated_at) > Date.now() - reservedMs
    // volumes keep these statuses until a user changes them
    if (status === 'maintenance' || status === 'awaiting-transfer') return false
    return volumeInProgress({ status })
  },
}
