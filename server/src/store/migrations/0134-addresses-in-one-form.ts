import { canonical } from '@mainstay/contract/networking/addresses'
import { sql, type Kysely } from 'kysely'

// servers that do not know it write addresses as they were typed, and compare them so
export const needs = '0105-recycle-bin'

interface Subnet {
  gateway_ip: string | null
  dns_nameservers: string[]
  allocation_pools: { start: string; end: string }[]
}
interface Body {
  subnets?: Subnet[]
  routes?: { destination: string; nexthop: string }[]
}

/** IPv6 addresses of networks, subnets and routers get their short form (RFC 5952), in which they are compared. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await change<Subnet>(db, 'subnet', inShortForm)
  await change<Body>(db, 'network', (network) => ({ ...network, subnets: (network.subnets ?? []).map(inShortForm) }))
  await change<Body>(db, 'router', (router) => ({
    ...router,
    routes: (router.routes ?? []).map((route) => ({ ...route, nexthop: canonical(route.nexthop) })),
  }))
}

const inShortForm = <Row extends Subnet>(subnet: Row): Row => ({
  ...subnet,
  gateway_ip: subnet.gateway_ip === null ? null : canonical(subnet.gateway_ip),
  dns_nameservers: [...new Set(subnet.dns_nameservers.map(canonical))],
  allocation_pools: subnet.allocation_pools.map(({ start, end }) => ({ start: canonical(start), end: canonical(end) })),
})

/** Rewrites the rows of a kind that this machine is the record of; a cloud has such addresses in one form. */
async function change<Row>(db: Kysely<unknown>, kind: string, rewrite: (row: Row) => Row): Promise<void> {
  const { rows } = await sql<{ id: string; body: Row }>`
    select id, body from resource where kind = ${kind} and source = 'embedded'`.execute(db)
  for (const { id, body } of rows) {
    const [before, after] = [JSON.stringify(body), JSON.stringify(rewrite(body))]
    if (after === before) continue
    await sql`update resource set body = ${after}::jsonb where kind = ${kind} and id = ${id}`.execute(db)
  }
}
