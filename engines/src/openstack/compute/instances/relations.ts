import * as z from 'zod'
import type { CallOptions, Query } from '../../client/service-client'
import { unreadableIn, type Reading } from '../../kind-reader'
import { readEach } from '../../read-each'
import { flavorIdsOf } from '../flavors/flavor-ids'
import { deviceKey, deviceName, flavorKey, ownFlavorKey, type Relations } from './shape'
import {
  portFields,
  serverVersion,
  WireAttachment,
  WireFlavorName,
  WireImage,
  WireNetwork,
  WirePort,
  WireVolume,
  type WireServer,
} from './wire'

/** IDs per request, to keep the URL short enough for all proxies. */
const idsPerCall = 40
/** Above this number, all volumes are listed instead of being read one by one. */
const volumesOneByOne = 60

/** Relations without the devices, which require separate requests. */
export type Around = Omit<Relations, 'devices'>

type Network = z.output<typeof WireNetwork>

/** Reads the relations of all servers; the lists are read in parallel. */
export async function relationsOfAll(reading: Reading, signal?: AbortSignal): Promise<Around> {
  const read = readers(reading, signal)
  const [ports, networks, volumes, images, flavorIds] = await Promise.all([
    read.ports({}),
    read.networks({}),
    read.allVolumes(),
    read.images({}),
    read.flavorIds(),
  ])
  flavorIdsOf(reading).set(flavorIds)
  return { ...joined(ports, networks, volumes, images), flavorIds }
}

/**
 * Reads the relations of the given servers. Everything that does not depend on the servers is read in parallel with
 * them.
 */
export async function relationsOf(
  reading: Reading,
  ids: readonly string[],
  servers: Promise<readonly WireServer[]>,
  signal?: AbortSignal,
): Promise<Around> {
  if (ids.length === 0) return { ...joined([], [], [], []), flavorIds: new Map() }
  const read = readers(reading, signal)
  const portsAndNetworks = async () => {
    const ports = await inChunks(ids, (device_id) => read.ports({ device_id }))
    return [
      ports,
      await inChunks(unique(ports.map(({ network_id }) => network_id)), (id) => read.networks({ id })),
    ] as const
  }
  const volumesAndImages = async () => {
    const found = await servers
    const volumeIds = unique(found.flatMap((it) => it['os-extended-volumes:volumes_attached'].map(({ id }) => id)))
    const imageIds = unique(found.flatMap(({ image }) => (image && typeof image === 'object' ? [image.id] : [])))
    return Promise.all([
      volumeIds.length > volumesOneByOne ? read.allVolumes() : read.volumes(volumeIds),
      inChunks(imageIds, (some) => read.images({ id: `in:${some.join(',')}` })),
    ])
  }
  const [[ports, networks], [volumes, images], flavorIds] = await Promise.all([
    portsAndNetworks(),
    volumesAndImages(),
    servers.then((found) => flavorIdsOf(reading).get(found.map(ownFlavorKey), read.flavorIds)),
  ])
  return { ...joined(ports, networks, volumes, images), flavorIds }
}

/**
 * Returns the devices of volumes that are still being attached. Until they are attached, only the server reports the
 * device.
 */
export async function devicesOf(
  reading: Reading,
  servers: readonly WireServer[],
  { volumes }: Pick<Relations, 'volumes'>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const onTheirWay = servers.filter(
    (server) =>
      !['BUILD', 'ERROR', 'SHELVED_OFFLOADED'].includes(server.status) &&
      server['os-extended-volumes:volumes_attached'].some(
        ({ id }) => !volumes.get(id)?.attachments.some((it) => it.server_id === server.id),
      ),
  )
  const shape = z.object({ volumeAttachments: z.array(WireAttachment) })
  const found = await readEach(
    onTheirWay.map(({ id }) => id),
    (id) =>
      reading.caller.get('compute', `/servers/${id}/os-volume_attachments`, shape, {
        version: serverVersion,
        ...(signal && { signal }),
      }),
    unreadableIn(reading, 'servers'),
  )
  const devices = new Map<string, string>()
  for (const [id, answer] of found) {
    for (const { volumeId, device } of answer?.volumeAttachments ?? []) {
      const name = deviceName(device)
      if (name) devices.set(deviceKey(id, volumeId), name)
    }
  }
  return devices
}

function readers(reading: Reading, signal: AbortSignal | undefined) {
  const { caller } = reading
  const more = (query: Query): CallOptions => ({ query, ...(signal && { signal }) })
  return {
    ports: (query: Query) =>
      whole(caller.pages('network', '/ports', 'ports', WirePort, more({ ...query, fields: portFields }))),
    networks: (query: Query) =>
      whole(caller.pages('network', '/networks', 'networks', WireNetwork, more({ ...query, fields: ['id', 'name'] }))),
    images: (query: Query) => whole(caller.pages('image', '/images', 'images', WireImage, more(query))),
    allVolumes: () => whole(caller.pages('volume', '/volumes/detail', 'volumes', WireVolume, more({ all_tenants: 1 }))),
    async volumes(ids: readonly string[]) {
      const shape = z.object({ volume: WireVolume })
      const readOne = (id: string) => caller.get('volume', `/volumes/${id}`, shape, more({}))
      const found = await readEach(ids, readOne, unreadableIn(reading, 'volumes'))
      return [...found.values()].flatMap((answer) => (answer ? [answer.volume] : []))
    },
    async flavorIds() {
      const flavors = await whole(
        caller.pages('compute', '/flavors/detail', 'flavors', WireFlavorName, {
          ...more({ is_public: 'None' }),
          version: serverVersion,
        }),
      )
      return new Map(flavors.map((flavor) => [flavorKey(flavor), flavor.id]))
    },
  }
}

function joined(
  ports: readonly WirePort[],
  networks: readonly Network[],
  volumes: readonly WireVolume[],
  images: readonly WireImage[],
): Omit<Around, 'flavorIds'> {
  const cards = new Map<string, WirePort[]>()
  for (const port of ports.toSorted(byAge)) {
    if (!port.device_owner.startsWith('compute:')) continue
    const others = cards.get(port.device_id)
    if (others) others.push(port)
    else cards.set(port.device_id, [port])
  }
  return {
    ports: cards,
    networkNames: new Map(networks.map(({ id, name }) => [id, name])),
    volumes: new Map(volumes.map((volume) => [volume.id, volume])),
    images: new Map(images.map((image) => [image.id, image])),
  }
}

/** Orders ports by age. The ID makes the order of ports with equal times stable. */
const byAge = (one: WirePort, other: WirePort) => (ageOf(one) < ageOf(other) ? -1 : 1)
const ageOf = ({ created_at, id }: WirePort) => `${created_at ?? ''} ${id}`

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

async function whole<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pages) items.push(...page)
  return items
}

async function inChunks<Item>(ids: readonly string[], read: (ids: string[]) => Promise<Item[]>): Promise<Item[]> {
  const items: Item[] = []
  for (let at = 0; at < ids.length; at += idsPerCall) items.push(...(await read(ids.slice(at, at + idsPerCall))))
  return items
}
