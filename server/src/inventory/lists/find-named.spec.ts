import { afterAll, beforeAll, expect, test } from 'vitest'
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
  // the many rows that only contain the text sort before the few that start with it
  const many = Array.from({ length: 1_500 }, (_, at) => thing(`m${at}`, { name: `a web ${at}`, project_id: 'p1' }))
  const few = ['web-10', 'Web-2', 'web-1'].map((name) => thing(name.toLowerCase(), { name, project_id: 'p1' }))
  const others = [thing('theirs', { name: 'web-0', project_id: 'p2' }), thing('odd', { name: 'starts:100%, a\\b_c' })]
  await fixture.inventory.follower()([
    { op: 'resync', kind: 'thing' },
    ...[...many, ...few, ...others].map((entity) => ({ op: 'put', kind: 'thing', entity }) as const),
    { op: 'synced', kind: 'thing' },
  ])
})
afterAll(() => fixture.close())

const namesOf = async (text: string, scope = systemScope, limit = 5) =>
  ((await fixture.inventory.named([thingKind], scope, text, limit)).get('thing') ?? []).map(({ name }) => name)

test('rows that start with the text come first, however many others contain it', async () => {
  expect(await namesOf('web')).toEqual(['web-0', 'web-1', 'Web-2', 'web-10', expect.stringMatching(/^a web \d+$/)])
  expect(await namesOf('WEB-1')).toEqual(['web-1', 'web-10'])
  const distinct = new Set(await namesOf('web', systemScope, 20))
  expect(distinct.size).toBe(20)
})

test('finds only rows that the scope can see', async () => {
  const own = projectScope('p1')
  expect(await namesOf('web', own, 4)).toEqual(['web-1', 'Web-2', 'web-10', expect.stringMatching(/^a web \d+$/)])
  expect(await namesOf('web', projectScope('p2'))).toEqual(['web-0'])
  expect(await namesOf('web', projectScope('p3'))).toEqual([])
})

test('treats operators and wildcards in the text literally', async () => {
  for (const text of ['starts:100%', '100%', '0%, a', 'a\\b', 'b_c'])
    expect(await namesOf(text)).toEqual(['starts:100%, a\\b_c'])
  for (const text of ['not:x', 'in:a,b', 'None', "'", 'a%b', '1_0']) expect(await namesOf(text)).toEqual([])
})
