import { namedId } from '@mainstay/engines/ports/named-id'
import { sql, type Kysely } from 'kysely'

/*
 * Nodes, networks and subnets of this machine get UUIDs; networks hold their subnets whole, instances say which
 * addresses they have in a network, and their cards have an `id` and say whether they are protected.
 */

type Row = { id: string; [field: string]: unknown }
interface Card {
  port_id: string
  network_id: string
  network_name: string
  fixed_ips: { subnet_id: string; ip_address: string }[]
  [field: string]: unknown
}

const BATCH = 1000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const newId = (id: string): string => (UUID.test(id) ? id : namedId(id))

export async function up(db: Kysely<unknown>): Promise<void> {
  await loadAnew(db, ['compute_node', 'subnet', 'network', 'server', 'placement'])
  await change(db, 'compute_node', (node) => ({ ...node, id: newId(node.id) }))
  const subnets = new Map<string, Row[]>()
  await change(db, 'subnet', (old) => {
    const subnet: Row = { ...old, id: newId(old.id), network_id: newId(String(old['network_id'])) }
    const networkId = String(subnet['network_id'])
    subnets.set(networkId, [...(subnets.get(networkId) ?? []), subnet])
    return subnet
  })
  await change(db, 'network', (network) => {
    const id = newId(network.id)
    return { ...network, id, subnets: subnets.get(id) ?? [], default_vnic_type: 'normal' }
  })
  await change(db, 'placement', (placement) => {
    const nodes = placement['nodes'] as string[] | undefined
    return nodes ? { ...placement, nodes: nodes.map(newId) } : placement
  })
  await change(db, 'server', (server) => {
    const cards = (server['network_data'] as Card[]).map((card) => ({
      ...card,
      id: card.port_id,
      network_id: newId(card.network_id),
      fixed_ips: card.fixed_ips.map((ip) => ({ ...ip, subnet_id: newId(ip.subnet_id) })),
      spoofing_protection: true,
    }))
    return { ...server, network_data: cards, networks: networksOf(cards) }
  })
  await renameNotes(db)
}

/**
 * Where ids change, whoever was away loads everything, and the side tables are made anew. Only a server of this machine
 * has such ids, and it has its database to itself.
 */
async function loadAnew(db: Kysely<unknown>, kinds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from resource where kind in ('compute_node', 'subnet', 'network')`.execute(db)
  if (rows.every(({ id }) => UUID.test(id))) return
  await sql`select number_changes()`.execute(db)
  await sql`update change_pruned set revision = (select value from revision)`.execute(db)
  await sql`delete from side_table where kind = any(${kinds}::text[])`.execute(db)
}

/** Each network once, with the addresses there. */
function networksOf(cards: readonly Card[]): { id: string; name: string; ips: string[] }[] {
  const networks = new Map<string, { id: string; name: string; ips: string[] }>()
  for (const { network_id: id, network_name: name, fixed_ips } of cards) {
    const network = networks.get(id) ?? { id, name, ips: [] }
    network.ips.push(...fixed_ips.map(({ ip_address }) => ip_address))
    networks.set(id, network)
  }
  return [...networks.values()]
}

/** Rewrites the rows of a kind, in pieces. */
async function change(db: Kysely<unknown>, kind: string, rewrite: (row: Row) => Row): Promise<void> {
  // beforehand: a row that has got another id would be met again
  const { rows: all } = await sql<{ id: string }>`select id from resource where kind = ${kind} order by id`.execute(db)
  for (let at = 0; at < all.length; at += BATCH) {
    const ids = all.slice(at, at + BATCH).map(({ id }) => id)
    const { rows } = await sql<{ id: string; body: Row; derived: Record<string, unknown> | null }>`
      select id, body, derived from resource where kind = ${kind} and id = any(${ids}::text[]) order by id`.execute(db)
    const given = rows.map(({ id: was, body: old, derived }) => {
      const body = rewrite(old)
      const networkIds = derived?.['network_ids'] as string[] | undefined
      return {
        ...{ was, id: body.id, body },
        derived: networkIds ? { ...derived, network_ids: networkIds.map(newId) } : derived,
      }
    })
    await sql`
      update resource set id = given.id, body = given.body, derived = given.derived
      from json_to_recordset(${JSON.stringify(given)}::json) as given (was text, id text, body jsonb, derived jsonb)
      where resource.kind = ${kind} and resource.id = given.was`.execute(db)
  }
}

interface Note {
  kind: string
  id: string
  data: { addresses?: string[] }
}

/** What the engine notes of networks: addresses that are taken, by whom, and from where on it looks for a free one. */
async function renameNotes(db: Kysely<unknown>): Promise<void> {
  const address = (key: string): string => {
    const [network, ...rest] = key.split('/')
    return [newId(network!), ...rest].join('/')
  }
  const { rows } = await sql<Note>`
    select kind, id, data from private_record where kind in ('address', 'port', 'subnet')`.execute(db)
  for (let at = 0; at < rows.length; at += BATCH) {
    const given = rows.slice(at, at + BATCH).map(({ kind, id: was, data }) => ({
      kind,
      was,
      id: kind === 'address' ? address(was) : kind === 'subnet' ? newId(was) : was,
      data: data.addresses ? { ...data, addresses: data.addresses.map(address) } : data,
    }))
    await sql`
      update private_record set id = given.id, data = given.data
      from json_to_recordset(${JSON.stringify(given)}::json) as given (kind text, was text, id text, data jsonb)
      where private_record.kind = given.kind and private_record.id = given.was`.execute(db)
  }
}
