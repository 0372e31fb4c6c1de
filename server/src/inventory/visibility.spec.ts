import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@mainstay/contract/core/events'
import { kind, type Kind, type Visibility } from '@mainstay/contract/core/kind'
import type { PageQuery } from '@mainstay/contract/core/lists/paging'
import { AccessPolicy } from '@mainstay/contract/core/readers'
import { grantsOf } from '@mainstay/contract/permissions'
import type { Scope } from '@mainstay/engines/ports/scope'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { changeFor, withEntities, type Recipient } from '../realtime/recipient'
import { openInventoryFixture, projectScope, systemScope, type InventoryFixture } from '../testing/inventory-fixture'

const sharings = {
  plain: {},
  flagged: { shared: { path: 'visibility', equals: 'public' } },
  policed: { policies: { path: 'policies', actions: ['read'] } },
  both: { shared: { path: 'visibility', equals: 'public' }, policies: { path: 'policies', actions: ['read'] } },
} as const

const kindOf = (visibility: Visibility, sharing: keyof typeof sharings): Kind =>
  kind({
    name: `${visibility}_${sharing}`,
    entity: z.object({ id: z.string(), name: z.string(), visibility: z.string(), policies: z.array(AccessPolicy) }),
    visibility,
    ...sharings[sharing],
    filters: ['name'],
    sortKeys: ['name'],
    permissions: { collection: 'compute_servers', item: 'compute_server' },
  })
const kinds = (['system', 'project', 'owner', 'domain', 'administered', 'global'] as const).flatMap((visibility) =>
  (['plain', 'flagged', 'policed', 'both'] as const).map((sharing) => kindOf(visibility, sharing)),
)

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture(Object.fromEntries(kinds.map((it) => [it.name, it])))
})
afterAll(() => fixture.close())

const scopes: Scope[] = [
  systemScope,
  { ...systemScope, project_id: null },
  projectScope('p1'),
  projectScope('p1', { user_id: 'u2' }),
  projectScope('p2', { domain_id: 'd2' }),
  projectScope('p9'),
  { ...projectScope('p1'), kind: 'domain', project_id: null },
  { ...projectScope('p1'), kind: 'none', project_id: null, domain_id: 'd2' },
  { ...projectScope('p1'), project_id: null },
]

type Row = {
  id: string
  name: string
  project_id: string | null
  domain_id: string
  user_id: string | null
  visibility: string
  policies: AccessPolicy[]
}

const one = <const Value>(...values: Value[]) => fc.constantFrom(...values)
/** Plain objects, as parsed from JSON, so that equal rows compare as equal. */
const plain = { noNullPrototype: true }
const actions = fc.constantFrom<string[]>(['read'], ['write'], ['write', 'read'], [])
const policy: fc.Arbitrary<AccessPolicy> = fc.oneof(
  fc.record({ target_project: one('p1', 'p2', 'p9', '*', 'd1'), actions }, plain),
  fc.record({ target_domain: one('d1', 'd2', 'p1'), actions }, plain),
)
const rowOf = (id: string): fc.Arbitrary<Row> =>
  fc.record(
    {
      id: fc.constant(id),
      name: fc.constant('x'),
      project_id: one('p1', 'p2', null),
      domain_id: one('d1', 'd2'),
      user_id: one('u1', 'u2', null),
      visibility: one('public', 'private', 'private', 'private'),
      policies: fc.array(policy, { maxLength: 2 }),
    },
    plain,
  )

/** Reference implementation of the rule, kept as simple as possible. */
function maySee(it: Kind, scope: Scope, row: Row): boolean {
  if (scope.kind === 'system' || it.visibility === 'global') return true
  if (it.shared && row.visibility === 'public') return true
  const reading = it.policies ? row.policies.filter((one) => one.actions.includes('read')) : []
  for (const one of reading) {
    if ('target_project' in one && one.target_project === '*') return true
    if ('target_project' in one && scope.kind === 'project' && one.target_project === scope.project_id) return true
    if ('target_domain' in one && scope.kind !== 'none' && one.target_domain === scope.domain_id) return true
  }
  if (it.visibility === 'system') return false
  if (it.visibility === 'domain') return row.domain_id === scope.domain_id
  if (it.visibility === 'administered' && scope.kind === 'domain') return row.domain_id === scope.domain_id
  if (scope.kind !== 'project' || !scope.project_id) return false
  if (it.visibility === 'project' || it.visibility === 'administered') return row.project_id === scope.project_id
  const isOfAnotherProject = row.project_id !== null && row.project_id !== scope.project_id
  return row.user_id === scope.user_id && !isOfAnotherProject
}

const readerIn = (scope: Scope): Recipient => ({
  scope,
  grants: grantsOf(['admin'], 'system'),
  ownProjectOnly: false,
})

const ids = Array.from({ length: 10 }, (_, at) => `row-${at}`)
const rows = fc.tuple(...ids.map(rowOf))

/** The last message about each row that a socket receives for the changes after a revision. */
async function toldTo(scope: Scope, since: number): Promise<Map<string, Change>> {
  const changes = await fixture.inventory.changesSince(since, 10_000)
  const told = await withEntities(fixture.inventory, changes!)
  const heard = told.flatMap((it) => changeFor(fixture.inventory, readerIn(scope), it) ?? [])
  return new Map(heard.map((change) => [`${change.kind} ${change.id}`, change]))
}

async function write(given: readonly Row[]): Promise<void> {
  await fixture.inventory.transaction(async (records) => {
    for (const it of kinds) for (const row of given) await records.put(it.name, row)
  })
}

/** Checks lists, counts, search, bulk and single reads, markers and counts by field against the rule. */
async function expectQueries(it: Kind, scope: Scope, given: readonly Row[]): Promise<void> {
  const expected = given.filter((row) => maySee(it, scope, row)).map(({ id }) => id)
  const what = `${it.name} in ${JSON.stringify(scope)} of ${JSON.stringify(given)}`
  const query = { limit: 1000, with_count: true } as PageQuery
  const page = await fixture.inventory.list(it, scope, query)
  expect(page.data.map(({ id }) => id).toSorted(), what).toEqual(expected.toSorted())
  expect(page.count, what).toBe(expected.length)
  const found = await fixture.inventory.list(it, scope, { ...query, search: 'x', name: 'x' })
  expect(found.count, what).toBe(expected.length)
  const several = await fixture.inventory.several(it, scope, ids)
  expect(
    several.map(({ id }) => id),
    what,
  ).toEqual(expected)
  const counts = await fixture.inventory.countBy(it, scope, 'name')
  expect(counts, what).toEqual(expected.length > 0 ? { x: expected.length } : {})
  const hidden = given.find(({ id }) => !expected.includes(id))
  if (!hidden) return
  await expect(fixture.inventory.view(it, scope, hidden.id), what).rejects.toMatchObject({ code: 'not_found' })
  const marked = fixture.inventory.list(it, scope, { limit: 1, marker: hidden.id })
  await expect(marked, what).rejects.toMatchObject({ code: 'invalid_marker' })
}

test("lists, single reads, the change log and sockets agree on a row's visibility with any policies", async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.subarray(kinds, { minLength: 4, maxLength: 4 }), async (given, some) => {
      await write(given)
      const changes = (await fixture.inventory.changesSince(0, 100_000))!
      for (const it of some)
        for (const scope of scopes) {
          await expectQueries(it, scope, given)
          for (const row of given) {
            const change = changes.findLast(({ kind: name, id }) => name === it.name && id === row.id)!
            const what = `${it.name} in ${JSON.stringify(scope)} of ${JSON.stringify(row)}`
            expect(fixture.inventory.canReceive(it, scope, row, change), what).toBe(maySee(it, scope, row))
            expect(fixture.inventory.canReceive(it, scope, null, change), what).toBe(maySee(it, scope, row))
          }
        }
    }),
    { numRuns: 8 },
  )
})

test('when the readers of a row change, new readers receive the row and former readers its removal', async () => {
  await fc.assert(
    fc.asyncProperty(rows, rows, async (before, after) => {
      await write(before)
      const since = await fixture.inventory.revision()
      await write(after)
      for (const scope of scopes) {
        const told = await toldTo(scope, since)
        for (const it of kinds)
          for (const [at, row] of after.entries()) {
            const was = before[at]!
            const change = told.get(`${it.name} ${row.id}`)
            const what = `${it.name} in ${JSON.stringify(scope)}: ${JSON.stringify(was)} to ${JSON.stringify(row)}`
            if (isDeepStrictEqual(was, row)) expect(change, what).toBeUndefined()
            else if (maySee(it, scope, row)) expect(change, what).toMatchObject({ op: 'put', entity: { id: row.id } })
            else if (maySee(it, scope, was)) expect(change, what).toMatchObject({ op: 'remove', entity: null })
            else expect(change, what).toBeUndefined()
          }
      }
    }),
    { numRuns: 8 },
  )
})

test('a scope that does not own a row sees only the policies that apply to the scope', async () => {
  const policies: AccessPolicy[] = [
    { target_project: 'p2', actions: ['read'] },
    { target_project: 'p9', actions: ['read'] },
    { target_domain: 'd1', actions: ['write'] },
  ]
  const it = kindOf('project', 'policed')
  const row = { id: 'shared', name: 'x', project_id: 'p1', domain_id: 'd1', user_id: 'u1', policies }
  await fixture.inventory.transaction((records) => records.put(it.name, row))
  const told = async (scope: Scope) => (await fixture.inventory.view(it, scope, 'shared'))['policies']
  expect(await told(systemScope)).toEqual(policies)
  expect(await told(projectScope('p1'))).toEqual(policies)
  expect(await told(projectScope('p2', { domain_id: 'd2' }))).toEqual([policies[0]])
  expect(await told(projectScope('p9', { domain_id: 'd1' }))).toEqual([policies[1], policies[2]])
})

test('system-only fields are removed from rows, even within lists', async () => {
  const it = { ...kindOf('project', 'plain'), systemOnly: ['host', 'cards.address', 'place.rack'] }
  const row = {
    ...{ id: 'r', name: 'x', project_id: 'p1', domain_id: 'd1', host: 'node-1' },
    ...{ cards: [{ mac: 'a', address: '1' }, null, 'text'], place: { rack: 7, room: 'b' } },
  }
  const told = fixture.inventory.redactFor(it, projectScope('p1'), row)
  expect(told).toEqual({
    ...{ id: 'r', name: 'x', project_id: 'p1', domain_id: 'd1' },
    ...{ cards: [{ mac: 'a' }, null, 'text'], place: { room: 'b' } },
  })
  expect(fixture.inventory.redactFor(it, systemScope, row)).toEqual(row)
  expect(row.cards[0]).toEqual({ mac: 'a', address: '1' })
})

test('changes logged by the previous version reach the same readers', async () => {
  const it = kindOf('project', 'flagged')
  const since = await fixture.inventory.revision()
  await fixture.store.pool.query(
    `insert into change_unnumbered (row_revision, kind, id, op, domain_id, project_id, user_id, shared, before, at)
     values (nextval('row_revision'), $1, 'old', 'remove', 'd1', 'p1', null, true, $2, now())`,
    [it.name, JSON.stringify({ domain_id: 'd1', project_id: 'p2', user_id: null, shared: false })],
  )
  const [change] = (await fixture.inventory.changesSince(since, 10))!
  expect(change).toMatchObject({ readers: ['*'], before: { project_id: 'p2', readers: [] } })
  expect(fixture.inventory.canReceive(it, projectScope('p9'), null, change!)).toBe(true)
})

test('an impossible ID is not found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (id) => {
      await expect(fixture.inventory.view(kinds[0]!, systemScope, id)).rejects.toMatchObject({ code: 'not_found' })
    }),
    { numRuns: 50 },
  )
})
