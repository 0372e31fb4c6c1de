import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Page } from '@mainstay/contract/core/lists/paging'
import type { PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import type { ApiClient } from '../../server/src/testing/api-client'
import { quantile, type Row } from '../protocol'

const PAGE = 20

/** A list, with the queries for our API and for Nova. */
export interface ListCase {
  name: string
  ours: Record<string, string>
  /** The same filter and order as Nova query parameters. */
  theirs: Record<string, string>
}

/**
 * The columns that `openstack server list --long` shows for a server, and the server's ID, by which rows from the two
 * APIs are matched.
 */
interface Columns {
  id: string
  name: string
  status: string
  task: string | null
  addresses: string
  image: string | null
  flavor: string
  size: string
  tags: string
  created: string
}

interface Listed {
  count: number
  rows: Columns[]
}

interface Server {
  id: string
  name: string
  status: string
  'OS-EXT-STS:task_state': string | null
  image: { id: string } | ''
  flavor: { original_name: string; vcpus: number; ram: number }
  tags: string[]
  created: string
}
interface Port {
  device_id: string
  fixed_ips: { ip_address: string }[]
}
interface Image {
  id: string
  name: string
}

const byName = (direction: 'asc' | 'desc') => ({
  ours: { sort: `name:${direction}` },
  theirs: { sort_key: 'display_name', sort_dir: direction },
})
const byAge = (direction: 'asc' | 'desc') => ({
  ours: { sort: `created_at:${direction}` },
  theirs: { sort_key: 'created_at', sort_dir: direction },
})

/** Lists that Nova itself can filter and sort. `some` is a server whose flavor is used as a filter. */
export function cloudLists(some: Instance): ListCase[] {
  const filtered = (
    name: string,
    ours: Record<string, string>,
    theirs: Record<string, string>,
    order: Omit<ListCase, 'name'>,
  ): ListCase => ({
    name,
    ours: { ...ours, ...order.ours },
    theirs: { ...theirs, ...order.theirs },
  })
  return [
    { name: 'all, by name', ...byName('asc') },
    filtered('running, newest first', { status: 'ACTIVE' }, { status: 'ACTIVE' }, byAge('desc')),
    filtered('switched off, by name from the end', { status: 'SHUTOFF' }, { status: 'SHUTOFF' }, byName('desc')),
    filtered('a text in the name, oldest first', { name: 'web' }, { name: 'web' }, byAge('asc')),
    filtered('a tag, by name', { tags: 'production' }, { tags: 'production' }, byName('asc')),
    filtered('a size, by name', { vcpus: String(some.flavor.vcpus) }, { flavor: some.flavor.id! }, byName('asc')),
  ]
}

const query = (words: Record<string, string>) => new URLSearchParams(words).toString()

/** Reads a page and the total count from our API with a single request. */
async function fromIndex(api: ApiClient, { ours }: ListCase, limit: number): Promise<Listed> {
  const page: Page<Instance> = await api.call(instances.list, { query: { ...ours, limit, with_count: true } })
  return {
    count: page.count ?? -1,
    rows: page.data.map((it) => ({
      id: it.id,
      name: it.name,
      status: it.status,
      task: it.task_state,
      addresses: sorted(it.network_data.flatMap((card) => card.fixed_ips.map((ip) => ip.ip_address))),
      image: it.image_name,
      flavor: it.flavor.original_name,
      size: `${it.flavor.vcpus} ${it.flavor.ram}`,
      tags: sorted(it.tags),
      created: instantOf(it.created),
    })),
  }
}

/**
 * Reads the same data from the cloud with as few requests as possible: the page and, in parallel, all IDs, because Nova
 * offers no other way to count servers; then the ports and images of the servers on the page.
 */
async function fromCloud(cloud: PlainClient, { theirs }: ListCase): Promise<Listed> {
  const [{ servers }, all] = await Promise.all([
    cloud.call<{ servers: Server[] }>('compute', 'GET', `/servers/detail?${query({ ...theirs, limit: String(PAGE) })}`),
    cloud.list<{ id: string }>('compute', `/servers?${query({ ...theirs, limit: '1000' })}`, 'servers'),
  ])
  return { count: all.length, rows: await columnsOf(cloud, servers) }
}

async function columnsOf(cloud: PlainClient, servers: Server[]): Promise<Columns[]> {
  const imageIds = [...new Set(servers.flatMap(({ image }) => (image ? [image.id] : [])))]
  const [ports, images] = await Promise.all([
    cloud.list<Port>('network', `/ports?${servers.map(({ id }) => `device_id=${id}`).join('&')}`, 'ports'),
    cloud.list<Image>('image', `/images?id=in:${imageIds.join(',')}`, 'images'),
  ])
  return joined(servers, ports, images)
}

/**
 * Reads every matching row, as `openstack server list --long` does, because this also yields the count. Returns the
 * first `shown` rows.
 */
async function listedWhole(cloud: PlainClient, { theirs }: ListCase, shown: number): Promise<Listed> {
  const [servers, ports, images] = await Promise.all([
    cloud.list<Server>('compute', `/servers/detail?${query({ ...theirs, limit: '1000' })}`, 'servers'),
    cloud.list<Port>('network', '/ports?limit=1000', 'ports'),
    cloud.list<Image>('image', '/images?limit=1000', 'images'),
  ])
  return { count: servers.length, rows: joined(servers, ports, images).slice(0, shown) }
}

function joined(servers: Server[], ports: Port[], images: Image[]): Columns[] {
  const addresses = new Map<string, string[]>()
  for (const { device_id, fixed_ips } of ports)
    addresses.set(device_id, [...(addresses.get(device_id) ?? []), ...fixed_ips.map((ip) => ip.ip_address)])
  const names = new Map(images.map(({ id, name }) => [id, name]))
  return servers.map((it) => ({
    id: it.id,
    name: it.name,
    status: it.status,
    task: it['OS-EXT-STS:task_state'],
    addresses: sorted(addresses.get(it.id) ?? []),
    image: it.image ? (names.get(it.image.id) ?? null) : null,
    flavor: it.flavor.original_name,
    size: `${it.flavor.vcpus} ${it.flavor.ram}`,
    tags: sorted(it.tags),
    created: instantOf(it.created),
  }))
}
/** Normalizes times, because only one of the two APIs includes fractions of a second. */
const instantOf = (time: string) => new Date(time).toISOString()
const sorted = (texts: string[]) => [...texts].sort().join(' ')

/**
 * Throws if the counts or the content of matching rows differ. The two pages may contain different rows, because our
 * API sorts numbers in names numerically.
 */
function mustAgree(name: string, ours: Listed, theirs: Listed): void {
  const others = new Map(theirs.rows.map((row) => [row.id, JSON.stringify(row)]))
  const differs = ours.rows.find((row) => others.has(row.id) && others.get(row.id) !== JSON.stringify(row))
  if (differs) throw new Error(`${name}: ${JSON.stringify(differs)}, in the cloud ${others.get(differs.id)}`)
  if (ours.count !== theirs.count) throw new Error(`${name}: ${ours.count} rows, in the cloud ${theirs.count}`)
  if (ours.rows.length !== theirs.rows.length) throw new Error(`${name}: the pages have different lengths`)
}

/** Alternates between the two APIs for each list, so that other load on the machine affects both. */
export async function measureLists(
  ours: ApiClient,
  theirs: PlainClient,
  cases: readonly ListCase[],
  rounds: number,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const it of cases)
    rows.push(
      await compare(`cloud, a list and its count: ${it.name}`, Math.ceil(rounds / 2), {
        index: () => fromIndex(ours, it, PAGE),
        cloud: () => listedWhole(theirs, it, PAGE),
      }),
      await compare(`cloud, from who asks for the least: ${it.name}`, rounds, {
        index: () => fromIndex(ours, it, PAGE),
        cloud: () => fromCloud(theirs, it),
      }),
    )
  const all = cases[0]!
  rows.push(
    await compare('cloud, every row and the count', Math.ceil(rounds / 2), {
      index: () => fromIndex(ours, all, 1000),
      cloud: () => listedWhole(theirs, all, 1000),
    }),
  )
  return rows
}

async function compare(
  name: string,
  rounds: number,
  from: Record<'index' | 'cloud', () => Promise<Listed>>,
): Promise<Row> {
  const times = { index: [] as number[], cloud: [] as number[] }
  // the first round is a warm-up
  for (let round = 0; round <= rounds; round++) {
    const cloud = await timed(from.cloud)
    const index = await timed(from.index)
    mustAgree(name, index.answer, cloud.answer)
    if (round === 0) continue
    times.index.push(index.ms)
    times.cloud.push(cloud.ms)
  }
  const against = { name: 'from the cloud', value: quantile(times.cloud, 0.5) }
  return { name, unit: 'ms', value: quantile(times.index, 0.5), against }
}

async function timed<Answer>(work: () => Promise<Answer>): Promise<{ ms: number; answer: Answer }> {
  const started = performance.now()
  const answer = await work()
  return { ms: performance.now() - started, answer }
}
