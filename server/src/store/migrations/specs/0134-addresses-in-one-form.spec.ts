import { expect, it } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { migrate } from '../../migrate'

it('addresses that were stored as somebody typed them get their short form; those of clouds stay', async () => {
  const database = await testDatabase()
  const pool = testPool(database)
  const subnet = {
    gateway_ip: 'FD00:20:0:0::1',
    dns_nameservers: ['fd00::1', 'FD00:0::1'],
    allocation_pools: [{ start: 'FD00:20::2', end: 'fd00:20:0::9' }],
  }
  const bodies: Record<string, object> = {
    subnet,
    network: { name: 'FD00:0::1', subnets: [subnet, { ...subnet, gateway_ip: null }] },
    router: { routes: [{ destination: 'fd99::/64', nexthop: 'FD00:30:0::0:1' }] },
  }
  try {
    await pool.query("delete from migration where name = '0134-addresses-in-one-form'")
    for (const source of ['embedded', 'cloud'])
      for (const [kind, body] of Object.entries(bodies))
        await pool.query('insert into resource (kind, id, revision, source, body) values ($1, $2, 1, $2, $3)', [
          ...[kind, source, JSON.stringify(body)],
        ])
    await migrate(pool)
    const read = async (source: string) => {
      const { rows } = await pool.query<{ kind: string; body: object }>(
        'select kind, body from resource where id = $1',
        [source],
      )
      return Object.fromEntries(rows.map(({ kind, body }) => [kind, body]))
    }
    const short = {
      gateway_ip: 'fd00:20::1',
      dns_nameservers: ['fd00::1'],
      allocation_pools: [{ start: 'fd00:20::2', end: 'fd00:20::9' }],
    }
    expect(await read('embedded')).toEqual({
      subnet: short,
      network: { name: 'FD00:0::1', subnets: [short, { ...short, gateway_ip: null }] },
      router: { routes: [{ destination: 'fd99::/64', nexthop: 'fd00:30::1' }] },
    })
    expect(await read('cloud')).toEqual(bodies)
  } finally {
    await pool.end()
    await database.drop()
  }
})
