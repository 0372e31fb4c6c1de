import type { Kind } from '@mainstay/contract/core/kind'
import { subnetKind, type Subnet } from '@mainstay/contract/networking/subnets'
import { endpointGroupKind } from '@mainstay/contract/vpn/endpoint-groups'
import { hostileTexts } from '../../testing/arbitrary'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { columnsOf } from '../columns'
import { filtersOf } from './conditions'
import {
  openInventoryFixture,
  projectScope,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../../testing/inventory-fixture'

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
  await fixture.inventory.transaction(async (records) => {
    await records.put(
      'thing',
      thing('a', { name: 'Web Server', tags: ['red', 'blue'], inner: { size: 5 }, note: '100% sure_thing' }),
    )
    await records.put(
      'thing',
      thing('b', { name: 'web-ÄÖ', tags: ['blue'], inner: { size: null }, enabled: false, host: 'node-2' }),
    )
    await records.put('thing', thing('c', { name: 'database', status: null, inner: { size: 7.5 }, enabled: null }))
    await records.put(
      'thing',
      thing('d', { name: 'a,b\\c', status: 'ERROR', tags: ['a,b'], created_at: '2026-03-01T12:00:00Z' }),
    )
  })
})
afterAll(() => fixture.close())

async function ids(more: Record<string, unknown>, scope = systemScope): Promise<string> {
  const page = await fixture.inventory.list(thingKind, scope, { limit: 20, sort: 'id', ...more })
  return page.data.map(({ id }) => id).join('')
}

test('a text filter matches substrings case-insensitively, and exact: matches only the whole text', async () => {
  expect(await ids({ name: 'WEB' })).toBe('ab')
  expect(await ids({ name: 'äö' })).toBe('b')
  expect(await ids({ name: 'exact:Web Server' })).toBe('a')
  expect(await ids({ name: 'exact:web server' })).toBe('')
  expect(await ids({ name: 'in:database,a\\,b\\\\c' })).toBe('cd')
})

test('starts: matches prefixes case-insensitively', async () => {
  expect(await ids({ name: 'starts:WEB' })).toBe('ab')
  expect(await ids({ name: 'starts:web-ä' })).toBe('b')
  expect(await ids({ name: 'starts:web-a' })).toBe('')
  expect(await ids({ name: 'starts:server' })).toBe('')
  expect(await ids({ name: 'starts:A,b\\' })).toBe('d')
  expect(await ids({ name: 'starts:web', sort: 'name' })).toBe('ab')
  expect(await ids({ name: 'starts:web', sort: 'name:desc' })).toBe('ba')
})

test('starts: matches prefixes that end in digits, regardless of the sort order', async () => {
  const names = fc.string({
    unit: fc.constantFrom('a', 'B', '0', '1', '9', '-', '%', '_', 'é', '²', 'ﬁ'),
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(names, { minLength: 1, maxLength: 12 }), names, async (given, start) => {
      await fixture.inventory.transaction(async (records) => {
        for (const [at, name] of given.entries()) await records.put('thing', thing(`p${at}`, { name }))
      })
      const asked = { name: `starts:${start}`, limit: 100 }
      const listed = async (sort: string) =>
        (await fixture.inventory.list(thingKind, systemScope, { ...asked, sort })).data.map(({ id }) => id).sort()
      const fold = (text: string) => text.normalize('NFC').toLowerCase()
      const others = start === '' ? ['a', 'b', 'c', 'd'] : []
      const expected = [
        ...others,
        ...given.flatMap((name, at) => (fold(name).startsWith(fold(start)) ? [`p${at}`] : [])),
      ]
      for (const sort of ['name', 'id', 'name:desc'])
        expect((await listed(sort)).filter((id) => others.includes(id) || id.startsWith('p'))).toEqual(expected.sort())
      await fixture.inventory.transaction(async (records) => {
        for (const at of given.keys()) await records.remove('thing', `p${at}`)
      })
    }),
    { numRuns: 40 },
  )
})

test('in: matches any of several values, not: excludes a value, and None matches a missing value', async () => {
  expect(await ids({ status: 'ACTIVE' })).toBe('ab')
  expect(await ids({ status: 'in:ERROR,None' })).toBe('cd')
  expect(await ids({ status: 'None' })).toBe('c')
  expect(await ids({ status: 'not:ACTIVE' })).toBe('cd')
  expect(await ids({ status: 'not:None' })).toBe('abd')
})

test('any: matches rows that have one of the tags, and None matches rows without tags', async () => {
  expect(await ids({ tags: 'any:red,blue' })).toBe('ab')
  expect(await ids({ tags: 'red' })).toBe('a')
  expect(await ids({ tags: 'any:None,red' })).toBe('ac')
  expect(await ids({ tags: 'any:a\\,b' })).toBe('d')
  expect(await ids({ tags: 'not:blue' })).toBe('cd')
  expect(await ids({ tags: 'contains:LU' })).toBe('ab')
  expect(await ids({ words: 'Server' })).toBe('a')
})

test('numbers and times are compared by value', async () => {
  expect(await ids({ size: 'gte:5' })).toBe('ac')
  expect(await ids({ size: 'lte:5' })).toBe('ad')
  expect(await ids({ size: '7.5' })).toBe('c')
  expect(await ids({ size: 'None' })).toBe('b')
  expect(await ids({ made: 'gte:2026-02-01T00:00:00Z' })).toBe('d')
  expect(await ids({ made: '2026-03-01T13:00:00+01:00' })).toBe('d')
  expect(await ids({ enabled: 'true' })).toBe('ad')
  expect(await ids({ enabled: 'not:true' })).toBe('bc')
})

test('combines several filters with AND and ignores empty ones', async () => {
  expect(await ids({ name: 'web', tags: 'blue', enabled: 'false' })).toBe('b')
  expect(await ids({ name: '', status: '' })).toBe('abcd')
  expect(await ids({ name: ['web', 'server'] })).toBe('a')
})

test('the search matches substrings of any searched field and treats wildcards literally', async () => {
  expect(await ids({ search: 'erv' })).toBe('a')
  expect(await ids({ search: '100%' })).toBe('a')
  expect(await ids({ search: '%' })).toBe('a')
  expect(await ids({ search: 'e_t' })).toBe('a')
  expect(await ids({ search: 'b\\c' })).toBe('d')
  expect(await ids({ search: 'ÄÖ' })).toBe('b')
})

test('refuses an unknown filter and names the parameter', async () => {
  for (const name of ['nothing', 'constructor', '__proto__', 'body', 'derived']) {
    const given = JSON.parse(`{"${name}":"x"}`) as Record<string, unknown>
    await expect(ids(given)).rejects.toMatchObject({
      code: 'invalid_filter',
      status: 400,
      fields: { [name]: [expect.any(String)] },
    })
  }
})

test('refuses values that cannot be compared, and names the filter', async () => {
  const bad: Record<string, string[]> = {
    size: ['NaN', 'gte:abc', '1e999', 'contains:1', '', '0x10'],
    made: ['yesterday', 'gte:2026-13-45', 'lte:'],
    enabled: ['maybe', 'gte:true'],
    name: ['gte:a', 'x\u0000y'],
    status: ['contains:ACT', 'lte:a'],
    tags: ['lte:a'],
  }
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values.filter((text) => text !== '' && !text.endsWith(':'))) {
      await expect(ids({ [name]: value }), `${name}=${value}`).rejects.toMatchObject({
        code: 'invalid_filter',
        fields: { [name]: [expect.any(String)] },
      })
    }
  }
})

test('no filter value causes a server error', async () => {
  const names = [...Object.keys(thingKind.filters), 'search', 'sort', 'marker']
  const prefix = fc.constantFrom('', 'in:', 'any:', 'not:', 'gte:', 'lte:', 'exact:', 'contains:')
  const text = fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ minLength: 9000, maxLength: 9100 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), prefix, text, async (name, start, value) => {
      const error = await ids({ [name]: start + value, with_count: true }).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      if (error) expect(error).toMatchObject({ status: 400 })
    }),
    { numRuns: 400 },
  )
})

test('system-only fields are hidden from other scopes, which cannot filter or sort by them', async () => {
  const member = projectScope('p1')
  const page = await fixture.inventory.list(thingKind, member, { limit: 1 })
  expect(page.data[0]).not.toHaveProperty('host')
  expect(page.data[0]).not.toHaveProperty('inner.secret')
  expect(await fixture.inventory.view(thingKind, member, 'a')).not.toHaveProperty('host')
  await expect(ids({ host: 'node-2' }, member)).rejects.toMatchObject({ code: 'invalid_filter' })
  await expect(ids({ sort: 'host:asc' }, member)).rejects.toMatchObject({ code: 'validation' })
  expect(await ids({ host: 'node-2' })).toBe('b')
})

test('refuses a domain in a project filter if the scope may not filter by domain', () => {
  const kind = {
    ...thingKind,
    filters: { ...thingKind.filters, domain_id: { path: 'domain_id', type: 'id' as const } },
  }
  const hidden = columnsOf({ ...kind, systemOnly: [...thingKind.systemOnly, 'domain_id'] })
  const among = { limit: 20, project_id: 'in:p1,domain:d1' }
  // the filter is allowed in the system scope, for a visible field, or without domains
  expect(filtersOf(hidden, systemScope, among)).toHaveLength(2)
  expect(filtersOf(columnsOf(kind), projectScope('p1'), among)).toHaveLength(2)
  expect(filtersOf(hidden, projectScope('p1'), { limit: 20, project_id: 'in:p1,p2' })).toHaveLength(1)
  for (const query of [among, { limit: 20, domain_id: 'd1' }])
    expect(() => filtersOf(hidden, projectScope('p1'), query)).toThrow(
      expect.objectContaining({ code: 'invalid_filter' }),
    )
})

test('filters and the search find an address in any notation', async () => {
  const own = await openInventoryFixture({ subnet: subnetKind, vpn_endpoint_group: endpointGroupKind })
  const at = '2026-01-01T00:00:00.000Z'
  const owner = { project_id: 'p', domain_id: 'd', created_at: at }
  const subnet: Subnet = {
    ...{ id: 's', name: 'FD00:0::5', network_id: 'n', cidr: 'fd00:40::/64', ip_version: 6 },
    ...{ allocation_pools: [], dns_nameservers: [], gateway_ip: null, enable_dhcp: true, shared: false, ...owner },
    ...{ ipv6_ra_mode: null, ipv6_address_mode: null },
  }
  const group = {
    id: 'g',
    name: 'there',
    description: '',
    type: 'cidr',
    endpoints: ['fd77::/64'],
    ...owner,
    updated_at: at,
  }
  try {
    await own.inventory.transaction(async (records) => {
      await records.put('subnet', subnet)
      await records.put('vpn_endpoint_group', group)
    })
    const found = async (kind: Kind, query: object) =>
      (await own.inventory.list(kind, systemScope, { limit: 5, ...query })).data.length
    for (const query of [
      ...['FD00:40:0::/64', 'exact:FD00:40:0::/64', 'in:10.0.0.0/24,FD00:40::0/64'].map((cidr) => ({ cidr })),
      ...['FD00:40:0::/64', 'FD00:0::5', 'fd00:40'].map((search) => ({ search })),
      { name: 'exact:FD00:0::5' },
    ])
      expect(await found(subnetKind, query), JSON.stringify(query)).toBe(1)
    expect(await found(subnetKind, { cidr: 'not:FD00:40:0::/64' })).toBe(0)
    expect(await found(endpointGroupKind, { endpoint: 'FD77:0::/64' })).toBe(1)
  } finally {
    await own.close()
  }
})
