import { randomUUID } from 'node:crypto'
import { crud } from '@mainstay/contract/core/crud'
import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { kind } from '@mainstay/contract/core/kind'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openInventoryFixture, projectScope, systemScope, type InventoryFixture } from '../../testing/inventory-fixture'
import type { Tools } from '../../tools'
import { rounds } from '../../../../tools/lib/tier.mjs'
import type { LooseCall } from '../serve'
import { serveResource } from '../serve-resource'

/* Three nested kinds: a project has shelves, a shelf has boxes, and a box has labels. */

const Shelf = z.object({ id: z.string(), name: z.string(), project_id: z.string(), domain_id: z.string() })
const common = {
  visibility: 'project',
  filters: ['name'],
  sortKeys: ['name'],
  permissions: { collection: 'compute_servers', item: 'compute_server' },
} as const
const shelfKind = kind({ ...common, name: 'shelf', entity: Shelf })
const boxKind = kind({
  ...common,
  name: 'box',
  entity: Shelf.extend({ shelf_id: z.string() }),
  parent: { kind: shelfKind, field: 'shelf_id' },
})
const labelKind = kind({
  ...common,
  name: 'label',
  entity: Shelf.extend({ box_id: z.string() }),
  parent: { kind: boxKind, field: 'box_id', goesAlong: true },
})
const Draft = z.strictObject({ name: z.string() })
const boxes = crud(boxKind, {
  path: '/api/v2/shelves/:shelf_id/boxes',
  called: ['a box', 'boxes'],
  draft: Draft,
  change: Draft,
  delete: true,
  deleteSeveral: true,
})
const labels = crud(labelKind, {
  path: '/api/v2/shelves/:shelf_id/boxes/:box_id/labels',
  called: ['a label', 'labels'],
})

let fixture: InventoryFixture
const own = projectScope('p1')
const foreign = projectScope('p2', { domain_id: 'd2' })
const row = (scope: Scope, name: string, more: object = {}) => ({
  id: randomUUID(),
  name,
  project_id: scope.project_id!,
  domain_id: scope.domain_id,
  ...more,
})
const put = async <Row extends Entity>(kindName: string, entity: Row): Promise<Row> => {
  await fixture.inventory.transaction((tx) => tx.put(kindName, entity))
  return entity
}

/** Like an engine, locks the parent before creating a row in it or deleting it. */
const port = {
  create: (scope: Scope, shelfId: string, { name }: z.output<typeof Draft>) =>
    fixture.inventory.transaction(async (tx) => {
      if (!(await tx.lock('shelf', shelfId))) throw notFound()
      const made = { ...row(scope, name), shelf_id: shelfId }
      await tx.put('box', made)
      return made
    }),
  update: (_: Scope, shelfId: string, id: string, { name }: z.output<typeof Draft>) =>
    fixture.inventory.transaction(async (tx) => {
      const changed = { ...(await tx.lock<z.output<typeof boxKind.entity>>('box', id))!, shelf_id: shelfId, name }
      await tx.put('box', changed)
      return changed
    }),
  delete: (_: Scope, _shelfId: string, id: string) => fixture.inventory.transaction((tx) => tx.remove('box', id)),
}
const deleteShelf = (id: string) =>
  fixture.inventory.transaction(async (tx) => {
    if (!(await tx.lock('shelf', id))) throw notFound()
    if ((await tx.find('box', { shelf_id: id }, 1)).length > 0) throw new Problem('conflict', 'Boxes stand on it')
    await tx.remove('shelf', id)
  })

const served = [
  ...serveResource({ kind: boxKind, calls: boxes }, () => port),
  ...serveResource({ kind: labelKind, calls: labels }),
]
/** Makes a call and returns its result or its error code. */
async function ask(name: string, params: Record<string, string>, { scope = own, body = {}, query = {} } = {}) {
  const isLabel = 'box_id' in params
  const one = served.find((it) => it.name === name && it.kind?.name === (isLabel ? 'label' : 'box'))!
  try {
    return (await one.handle(
      { scope, params, body, query } as unknown as LooseCall,
      {
        inventory: fixture.inventory,
      } as unknown as Tools,
    )) as Entity & { data: Entity[] }
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}
const namesIn = async (params: Record<string, string>, query: object = {}, scope = own) => {
  const page = await ask('list', params, { query, scope })
  return typeof page === 'string' ? page : page.data.map(({ name }) => name)
}

let [mine, other, strange] = [] as unknown as [Entity, Entity, Entity]
let [inMine, inStrange] = [] as unknown as [Entity, Entity]
beforeAll(async () => {
  fixture = await openInventoryFixture({ shelf: shelfKind, box: boxKind, label: labelKind })
  ;[mine, other] = [await put('shelf', row(own, 'mine')), await put('shelf', row(own, 'other'))]
  strange = await put('shelf', row(foreign, 'strange'))
  inMine = await put('box', row(own, 'in mine', { shelf_id: mine.id }))
  await put('box', row(own, 'in other', { shelf_id: other.id }))
  inStrange = await put('box', row(foreign, 'in strange', { shelf_id: strange.id }))
  await put('label', row(own, 'on it', { box_id: inMine.id }))
})
afterAll(() => fixture.close())

describe('rows with a parent', () => {
  it('are listed in the parent named by the path, and in all visible parents for "-"', async () => {
    expect(await namesIn({ shelf_id: mine.id })).toEqual(['in mine'])
    expect(await namesIn({ shelf_id: ANY_PARENT })).toEqual(['in mine', 'in other'])
    expect(await namesIn({ shelf_id: ANY_PARENT }, {}, foreign)).toEqual(['in strange'])
    expect(await namesIn({ shelf_id: ANY_PARENT }, { shelf_id: other.id })).toEqual(['in other'])
  })

  it('are not listed from another parent that is named in a filter', async () => {
    expect(await namesIn({ shelf_id: mine.id }, { shelf_id: `in:${mine.id},${other.id}` })).toEqual(['in mine'])
    expect(await namesIn({ shelf_id: mine.id }, { shelf_id: other.id })).toEqual([])
  })

  it('are viewed, changed and deleted only in their own parent', async () => {
    const { id } = inMine
    expect(await ask('view', { shelf_id: mine.id, id })).toEqual(inMine)
    expect(await ask('view', { shelf_id: ANY_PARENT, id })).toEqual(inMine)
    for (const name of ['view', 'update', 'delete'])
      expect(await ask(name, { shelf_id: other.id, id }, { body: { name: 'moved' } })).toBe('not_found')
    expect(await ask('deleteSeveral', { shelf_id: other.id }, { body: { uuids: [id] } })).toBe('not_found')
    expect(await ask('view', { shelf_id: mine.id, id })).toEqual(inMine)
  })

  it('are not found in a parent that does not exist or belongs to another tenant', async () => {
    for (const shelf_id of ['nowhere', strange.id]) {
      const { id } = inStrange
      for (const name of ['view', 'update', 'delete'])
        expect(await ask(name, { shelf_id, id }, { body: { name: 'taken' } })).toBe('not_found')
      for (const name of ['list', 'create', 'deleteSeveral'])
        expect(await ask(name, { shelf_id }, { body: { name: 'smuggled', uuids: [id] } })).toBe('not_found')
    }
    expect(await namesIn({ shelf_id: strange.id }, {}, foreign)).toEqual(['in strange'])
  })

  it('are created only in a parent that the path names', async () => {
    const made = await ask('create', { shelf_id: other.id }, { body: { name: 'new' } })
    expect(made).toMatchObject({ name: 'new', shelf_id: other.id })
    expect(await ask('create', { shelf_id: ANY_PARENT }, { body: { name: 'new' } })).toBe('not_found')
    const { id } = made as Entity
    // the engine receives the actual parent of the row, even if the path contains `ANY_PARENT`
    const changed = await ask('update', { shelf_id: ANY_PARENT, id }, { body: { name: 'newer' } })
    expect(changed).toMatchObject({ name: 'newer', shelf_id: other.id })
    await ask('deleteSeveral', { shelf_id: ANY_PARENT }, { body: { uuids: [id] } })
    expect(await namesIn({ shelf_id: other.id })).toEqual(['in other'])
  })

  it('are found only if all parents in the path match', async () => {
    const { id: box_id } = inMine
    expect(await namesIn({ shelf_id: mine.id, box_id })).toEqual(['on it'])
    expect(await namesIn({ shelf_id: ANY_PARENT, box_id })).toEqual(['on it'])
    expect(await namesIn({ shelf_id: other.id, box_id })).toBe('not_found')
    expect(await namesIn({ shelf_id: strange.id, box_id }, {}, systemScope)).toBe('not_found')
    expect(await namesIn({ shelf_id: mine.id, box_id: ANY_PARENT })).toBe('validation')
  })

  it('are deleted with their parent if their kind requires it', async () => {
    const { id: box_id } = await put('box', row(own, 'going', { shelf_id: mine.id }))
    await put('label', row(own, 'goes along', { box_id }))
    const labelsOf = async () => (await fixture.inventory.list(labelKind, systemScope, { limit: 9, box_id })).data
    expect(await labelsOf()).toHaveLength(1)
    await ask('delete', { shelf_id: mine.id, id: box_id })
    expect(await labelsOf()).toEqual([])
  })

  it('are never orphaned if their parent is deleted at the same time', async () => {
    for (let round = 0; round < rounds({ gate: 5, all: 30, long: 300 }); round++) {
      const { id: shelf_id } = await put('shelf', row(own, `going ${round}`))
      const makers = Array.from({ length: 4 }, (_, at) => ask('create', { shelf_id }, { body: { name: `box ${at}` } }))
      const gone = deleteShelf(shelf_id).then(
        () => 'gone',
        (error: Problem) => error.code,
      )
      const answers = await Promise.all(makers)
      const made = answers.filter((it) => typeof it !== 'string')
      expect(answers.filter((it) => typeof it === 'string').every((it) => it === 'not_found')).toBe(true)
      expect(await gone).toBe(made.length > 0 ? 'conflict' : 'gone')
      const left = await fixture.inventory.list(boxKind, systemScope, { limit: 100, shelf_id })
      expect(left.data).toHaveLength(made.length)
    }
  })
})
