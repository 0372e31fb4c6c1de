import { instances } from '@mainstay/contract/compute/instances'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { GiB } from '@mainstay/contract/core/bytes'
import { EXPORTS_AT_ONCE, exports } from '@mainstay/contract/core/lists/exports'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'
import { csvCell } from '../../http/csv'

let server: TestServer
const as = 'project-member'
const names = ['=2+3', 'a "quoted", name', '-cmd', 'plain', '@home']
beforeAll(async () => {
  server = await startServer()
  for (const description of names)
    await server.call(volumes.create, {
      as,
      body: { name: `disk ${names.indexOf(description)}`, size: GiB, description },
    })
  await server.call(volumes.create, { as: 'other-member', body: { name: 'theirs', size: GiB } })
  // wait for the alert rules that run at startup, because they also list rows
  await vi.waitFor(async () => expect(await server.call(alerts.evaluation, { as })).toMatchObject({ is_current: true }))
  // so do the jobs of each minute
  await server.tools.scheduler.close()
  await vi.waitFor(async () => expect(await server.sql.query('select from job')).toEqual([]))
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => server.close())

const get = (kind: string, query: Record<string, string> = {}, who: PersonaName = as) =>
  server.fetch(exports.rows, { as: who, params: { kind }, query })
const rowsOf = async (...asked: Parameters<typeof get>) => (await (await get(...asked)).json()) as Volume[]

it('exports all matching rows as a JSON or CSV file', async () => {
  const response = await get('volume', { format: 'json', sort: 'name:desc' })
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="volumes-\d{4}-\d\d-\d\d\.json"/)
  const { data } = await server.call(volumes.list, { as, query: { sort: 'name:desc' } })
  expect(await response.json()).toEqual(data)
  expect((await rowsOf('volume', { format: 'json', name: 'exact:disk 3' })).map(({ name }) => name)).toEqual(['disk 3'])
  expect(await rowsOf('volume', { format: 'json', name: 'nothing is called so' })).toEqual([])
  const csv = await (await get('volume', { sort: 'name' })).text()
  const [head, ...lines] = csv.trimEnd().split('\r\n')
  expect(head).toMatch(/^id,.*\bname\b/)
  expect(lines).toHaveLength(5)
})

it('neutralizes formulas in CSV files and escapes quotes and commas', async () => {
  const csv = await (await get('volume', { sort: 'name' })).text()
  for (const cell of ["'=2+3", '"a ""quoted"", name"', "'-cmd", "'@home"]) expect(csv).toContain(`,${cell},`)
  for (const text of names.filter((it) => /^[=@-]/.test(it))) expect(csv).not.toContain(`,${text},`)
})

it('reads a long list page by page and stops when the client disconnects', async () => {
  const list = vi.spyOn(server.tools.inventory, 'list')
  const rows = (page: number) =>
    Array.from({ length: WHOLE_LIMIT }, (_, index) => ({ id: `${page}-${index}`, name: 'x'.repeat(200) }))
  let asked = 0
  list.mockImplementation((async () => {
    asked += 1
    return { data: rows(asked), pages: asked < 500 ? [{ rel: 'next', marker: `${asked}` }] : [], revision: 1 }
  }) as never)
  const response = await get('volume', { format: 'json' })
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  await vi.waitFor(
    async () => {
      const before = asked
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(asked).toBe(before)
    },
    { timeout: 20_000 },
  )
  expect(asked).toBeLessThan(400)
  expect(list.mock.calls.every(([, , query]) => query.limit === WHOLE_LIMIT)).toBe(true)
})

it('allows two concurrent exports per user', async () => {
  const list = vi.spyOn(server.tools.inventory, 'list')
  list.mockImplementation((async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { data: [{ id: 'x'.repeat(64 * 1024) }], pages: [{ rel: 'next', marker: 'more' }], revision: 1 }
  }) as never)
  const open = await Promise.all(Array.from({ length: EXPORTS_AT_ONCE }, () => get('volume')))
  const refused = await get('volume')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('2 exports') } })
  for (const response of open) await response.body!.cancel()
  list.mockRestore()
  await vi.waitFor(async () => expect((await get('volume')).status).toBe(200), { timeout: 20_000 })
})

it('exports only the rows and fields that the caller may read', async () => {
  expect((await rowsOf('volume', { format: 'json' }, 'other-member')).map(({ name }) => name)).toEqual(['theirs'])
  expect((await rowsOf('volume', { format: 'json' }, 'superuser')).length).toBe(6)
  await server.call(sshKeys.generate, { as, body: { name: 'mine' } })
  expect(await rowsOf('key', { format: 'json' }, 'project-admin')).toEqual([])
  for (const kind of ['user', 'compute_node', 'domain']) expect((await get(kind)).status, kind).toBe(403)
  for (const kind of ['moon', 'constructor']) expect((await get(kind)).status, kind).toBe(404)
  const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
  await server.call(instances.create, {
    as,
    body: { name: 'web', flavor: 's1.nano', networks: [], volumes: [boot] },
  })
  const head = async (who: PersonaName) => (await (await get('server', {}, who)).text()).split('\r\n')[0]!.split(',')
  expect(await head('superuser')).toContain('host')
  expect(await head(as)).not.toContain('host')
})

it.each([
  ['an unknown filter', { colour: 'red' }, 'colour'],
  ['an unknown sort key', { sort: 'moon:asc' }, 'sort'],
  ['an unknown format', { format: 'xml' }, 'format'],
])('refuses %s and names the field', async (_, query, field) => {
  const response = await get('volume', query)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { fields: { [field]: expect.anything() } } })
})

it('serves lists of up to 1000 rows and exports 600 rows at a time [CO-015]', async () => {
  const who = 'service-account@beta-one'
  const { data } = await server.call(volumes.list, { as: 'other-member' })
  await server.tools.inventory.transaction(async (records) => {
    for (let at = 1; at <= 1001; at++)
      await records.put('volume', { ...(data[0] as Volume), id: `one-of-many-${at}`, name: `many ${at}` })
  })
  const some = async (limit: number) => (await server.call(volumes.list, { as: who, query: { limit } })).data.length
  expect([await some(30), await some(100), await some(600), await some(1000)]).toEqual([30, 100, 600, 1000])
  await expect(some(1001)).rejects.toMatchObject({ code: 'validation', fields: { limit: [expect.any(String)] } })
  const list = vi.spyOn(server.tools.inventory, 'list')
  expect(await rowsOf('volume', { format: 'json' }, who)).toHaveLength(1002)
  expect(list.mock.calls.map(([, , query]) => query.limit)).toEqual([600, 600])
})

it.each(['=', '+', '-', '@', '|', '%'])('adds an apostrophe before CSV cells that begin with %s', (sign) => {
  expect(csvCell(`${sign}1`)).toBe(`'${sign}1`)
  // spreadsheets ignore a leading space
  expect(csvCell(` ${sign}1`)).toBe(`' ${sign}1`)
})
