import * as z from 'zod'
import { kind, type Kind, type Visibility } from '@mainstay/contract/core/kind'
import type { PageQuery } from '@mainstay/contract/core/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScene, projectScope, systemScope, type Scene } from '../testing/postgres-scenes'

const kindOf = (visibility: Visibility, shared: boolean): Kind =>
  kind({
    name: `${visibility}_${shared ? 'shared' : 'plain'}`,
    entity: z.object({ id: z.string(), name: z.string(), visibility: z.string() }),
    visibility,
    ...(shared ? { shared: { path: 'visibility', equals: 'public' } } : {}),
    filters: ['name'],
    sortKeys: ['name'],
    permissions: { collection: 'compute_servers', item: 'compute_server' },
  })
const kinds = (['project', 'owner', 'domain', 'global'] as const).flatMap((visibility) => [
  kindOf(visibility, false),
  kindOf(visibility, true),
])

let scene: Scene
beforeAll(async () => {
  scene = await openScene(Object.fromEntries(kinds.map((it) => [it.name, it])))
})
afterAll(() => scene.close())

const rows: Entity[] = []
for (const project_id of ['p1', 'p2', null])
  for (const domain_id of ['d1', 'd2'])
    for (const user_id of ['u1', 'u2', null])
      for (const visibility of ['public', 'private'])
        rows.push({
          id: `${project_id}-${domain_id}-${user_id}-${visibility}`,
          name: 'x',
          project_id,
          domain_id,
          user_id,
          visibility,
        })

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

/** The rule, said a third time and as plainly as can be. */
function maySee(it: Kind, scope: Scope, row: Entity): boolean {
  if (scope.kind === 'system' || it.visibility === 'global') return true
  if (it.shared && row['visibility'] === 'public') return true
  if (it.visibility === 'domain') return row['domain_id'] === scope.domain_id
  if (scope.kind !== 'project' || !scope.project_id) return false
  if (it.visibility === 'project') return row['project_id'] === scope.project_id
  const isOfAnotherProject = row['project_id'] !== null && row['project_id'] !== scope.project_id
  return row['user_id'] === scope.user_id && !isOfAnotherProject
}

test('list, count, search, view, several, markers, counts by status and events agree on who sees a row', async () => {
  await scene.inventory.transaction(async (records) => {
    for (const it of kinds) for (const row of rows) await records.put(it.name, row)
  })
  for (const it of kinds) {
    for (const scope of scopes) {
      const expected = rows.filter((row) => maySee(it, scope, row)).map(({ id }) => id)
      const query = { limit: 1000, with_count: true } as PageQuery
      const page = await scene.inventory.list(it, scope, query)
      const what = `${it.name} in ${JSON.stringify(scope)}`
      expect(page.data.map(({ id }) => id).toSorted(), what).toEqual(expected.toSorted())
      expect(page.count, what).toBe(expected.length)
      const found = await scene.inventory.list(it, scope, { ...query, search: 'x', name: 'x' })
      expect(found.count, what).toBe(expected.length)
      const several = await scene.inventory.several(
        it,
        scope,
        rows.map(({ id }) => id),
      )
      expect(
        several.map(({ id }) => id),
        what,
      ).toEqual(expected)
      const counts = await scene.inventory.countBy(it, scope, 'name')
      expect(counts, what).toEqual(expected.length > 0 ? { x: expected.length } : {})
      for (const row of rows) {
        const sees = maySee(it, scope, row)
        const view = await scene.inventory.view(it, scope, row.id).catch((error: unknown) => error)
        if (sees) expect(view, what).toMatchObject({ id: row.id })
        else expect(view, what).toMatchObject({ code: 'not_found' })
        if (!sees) {
          const marked = scene.inventory.list(it, scope, { limit: 1, marker: row.id })
          await expect(marked, what).rejects.toMatchObject({ code: 'invalid_marker' })
        }
      }
    }
  }
  const changes = (await scene.inventory.changesSince(0, 1000))!
  for (const change of changes) {
    const it = kinds.find(({ name }) => name === change.kind)!
    const row = rows.find(({ id }) => id === change.id)!
    for (const scope of scopes) {
      expect(scene.inventory.mayHear(it, scope, row, change)).toBe(maySee(it, scope, row))
      expect(scene.inventory.mayHear(it, scope, null, change)).toBe(maySee(it, scope, row))
    }
  }
}, 60_000)

test('what cannot be an id is simply not there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (id) => {
      await expect(scene.inventory.view(kinds[0]!, systemScope, id)).rejects.toMatchObject({ code: 'not_found' })
    }),
    { numRuns: 50 },
  )
})
