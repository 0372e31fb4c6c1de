import { GiB } from '@mainstay/contract/core/bytes'
import type { PlainClient } from './plain-client'

/** The details of an object that are compared between the cloud and the index. */
export interface Facts {
  kind: string
  id: string
  /** All other details as text, for reporting a difference. */
  says: string
}

interface PlainServer {
  id: string
  name: string
  status: string
  'OS-EXT-STS:task_state': string | null
  flavor: { original_name: string }
  addresses: Record<string, { addr: string }[]>
  'os-extended-volumes:volumes_attached': { id: string }[]
}
interface PlainVolume {
  id: string
  name: string
  status: string
  size: number
  attachments: { server_id: string }[]
}
interface PlainImage {
  id: string
  name: string
  status: string
  size: number | null
}

const listed = (texts: string[]) => [...texts].sort().join('+')

export const serverFacts = (it: {
  id: string
  name: string
  status: string
  task: string | null
  flavor: string
  addresses: string[]
  volumes: string[]
}): Facts => ({
  kind: 'server',
  id: it.id,
  says: `${it.name} ${it.status} task=${it.task} ${it.flavor} addresses=${listed(it.addresses)} volumes=${listed(it.volumes)}`,
})
export const volumeFacts = (it: {
  id: string
  name: string
  status: string
  bytes: number
  holders: string[]
}): Facts => ({ kind: 'volume', id: it.id, says: `${it.name} ${it.status} ${it.bytes} of=${listed(it.holders)}` })
export const imageFacts = (it: { id: string; name: string; status: string; bytes: number }): Facts => ({
  kind: 'image',
  id: it.id,
  says: `${it.name} ${it.status} ${it.bytes}`,
})

/** Reads the details of all servers, volumes and images in a project from the cloud. */
export async function truthOf(admin: PlainClient, project: string): Promise<Facts[]> {
  const ofProject = `all_tenants=1&project_id=${project}`
  const servers = await admin.list<PlainServer>('compute', `/servers/detail?${ofProject}`, 'servers')
  const volumes = await admin.list<PlainVolume>('volume', `/volumes/detail?${ofProject}`, 'volumes')
  const images = await admin.list<PlainImage>('image', `/images?owner=${project}`, 'images')
  return [
    ...servers.map((it) =>
      serverFacts({
        ...it,
        task: it['OS-EXT-STS:task_state'],
        flavor: it.flavor.original_name,
        addresses: Object.values(it.addresses).flatMap((cards) => cards.map(({ addr }) => addr)),
        volumes: it['os-extended-volumes:volumes_attached'].map(({ id }) => id),
      }),
    ),
    ...volumes.map((it) =>
      volumeFacts({ ...it, bytes: it.size * GiB, holders: it.attachments.map(({ server_id }) => server_id) }),
    ),
    ...images.map((it) => imageFacts({ ...it, bytes: it.size ?? 0 })),
  ]
}

/** Describes each object that is missing on one side or differs between the two. */
export function differences(cloud: readonly Facts[], index: readonly Facts[]): string[] {
  const keyOf = ({ kind, id }: Facts) => `${kind} ${id}`
  const told = new Map(index.map((facts) => [keyOf(facts), facts.says]))
  const real = new Map(cloud.map((facts) => [keyOf(facts), facts.says]))
  return [
    ...[...real].flatMap(([key, says]) => {
      const other = told.get(key)
      if (other === says) return []
      return [`${key}: the cloud has "${says}", the index ${other === undefined ? 'nothing' : `"${other}"`}`]
    }),
    ...[...told]
      .filter(([key]) => !real.has(key))
      .map(([key, says]) => `${key}: the cloud has nothing, the index "${says}"`),
  ]
}
