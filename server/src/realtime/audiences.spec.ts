import * as z from 'zod'
import { kind, type Kind, type Visibility } from '@mainstay/contract/core/kind'
import { AccessPolicy } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Inventory, LoggedChange } from '../inventory/types'
import type { Owned } from '../inventory/visibility'
import { isVisible, ownedBy, redactFor } from '../inventory/visibility'
import { grantsIn, projectScope, systemScope } from '../testing/inventory-fixture'
import { openSocketFixture, until, type Followed, type SocketFixture } from '../testing/socket-fixture'
import { audienceOf } from './audiences'
import { changeFor, type Recipient } from './recipient'

let fixture: SocketFixture
beforeAll(async () => {
  fixture = await openSocketFixture()
})
afterAll(() => fixture.close())

/** An inventory that counts how often rows are checked for visibility, redacted and serialized. */
function counting() {
  const counts = { judged: 0, presented: 0, texts: 0, read: 0 }
  const { inventory } = fixture
  const counted: Inventory = {
    ...inventory,
    canReceive(...of) {
      counts.judged += 1
      return inventory.canReceive(...of)
    },
    redactFor(...of) {
      counts.presented += 1
      const row = { ...inventory.redactFor(...of) }
      return Object.defineProperty(row, 'toJSON', {
        value: () => {
          counts.texts += 1
          return { ...row }
        },
      })
    },
    changesSince(...of) {
      counts.read += 1
      return inventory.changesSince(...of)
    },
  }
  return { counts, counted }
}

const SOCKETS = 20
const CHANGES = 30

test('checks and serializes a change once for all sockets with the same access', async () => {
  const { counts, counted } = counting()
  const { url } = await fixture.serve(counted)
  const followed: Followed[] = []
  for (const project of ['p1', 'p2'])
    for (let number = 0; number < SOCKETS; number++) {
      const token = `${project} user ${number}`
      fixture.hold(token, projectScope(project, { user_id: token }))
      followed.push(await fixture.follow(url, token))
    }
  const ofOne = followed.slice(0, SOCKETS)
  for (let number = 0; number < CHANGES; number++) await fixture.put(`row ${number}`)
  await until(() => ofOne.every(({ changes }) => changes.length === CHANGES), 'the changes at all sockets')
  for (const { changes } of ofOne) expect(changes).toEqual(ofOne[0]!.changes)
  expect(followed.slice(SOCKETS).flatMap(({ changes }) => changes)).toEqual([])
  // an invisible row is checked twice more, in its current and in its previous state
  expect(counts.judged).toBeLessThanOrEqual(2 * CHANGES * 3)
  expect({ presented: counts.presented, texts: counts.texts }).toEqual({ presented: CHANGES, texts: CHANGES })
})

test('reads and checks missed changes once for all clients that reconnect', async () => {
  const since = await fixture.inventory.revision()
  for (let number = 0; number < CHANGES; number++) await fixture.put(`missed ${number}`)
  const { counts, counted } = counting()
  const { url } = await fixture.serve(counted)
  const readBefore = counts.read
  const tokens = Array.from({ length: SOCKETS }, (_, number) => `p1 user ${number}`)
  for (const token of tokens) fixture.hold(token, projectScope('p1', { user_id: token }))
  const back = await Promise.all(tokens.map((token) => fixture.follow(url, token, since)))
  await until(() => back.every(({ changes }) => changes.length === CHANGES), 'what was missed')
  expect(counts.read - readBefore).toBeLessThanOrEqual(4)
  expect(counts.presented).toBeLessThanOrEqual(2 * CHANGES)
  expect(counts.texts).toBeLessThanOrEqual(2 * CHANGES)
})

const kindOf = (visibility: Visibility, shared: boolean): Kind =>
  kind({
    name: `${visibility}_${shared}`,
    entity: z.object({ id: z.string(), name: z.string(), policies: z.array(AccessPolicy) }),
    visibility,
    ...(shared ? { policies: { path: 'policies', actions: ['read'] } } : {}),
    filters: ['name'],
    sortKeys: ['name'],
    permissions: { collection: 'compute_servers', item: 'compute_server' },
  })
const kinds = (['system', 'project', 'owner', 'domain', 'global'] as const).flatMap((it) => [
  kindOf(it, false),
  kindOf(it, true),
])

const policyFor = (reader: string): AccessPolicy => {
  const [what, id = '*'] = reader.split(':')
  return what === 'domain' ? { target_domain: id, actions: ['read'] } : { target_project: id, actions: ['read'] }
}

test('readers in the same audience always receive the same changes', async () => {
  const inventory = {
    kinds: new Map(kinds.map((it) => [it.name, it])),
    canReceive: (it: Kind, scope: Recipient['scope'], row: Entity | null, change: LoggedChange) =>
      isVisible(it, scope, row ? ownedBy(it, row) : change),
    redactFor,
  } as unknown as Inventory
  const one = <const Value>(...values: Value[]) => fc.constantFrom(...values)
  const owned = fc.record<Owned>({
    project_id: one('p1', 'p2', null),
    domain_id: one('d1', 'd2'),
    user_id: one('u1', 'u2', null),
    readers: one([], ['*'], ['project:p1'], ['domain:d2'], ['domain:d1', 'project:p2']),
  })
  const reader = fc
    .record({
      kind: one('system', 'domain', 'project', 'none'),
      project_id: one('p1', 'p2', null),
      domain_id: one('d1', 'd2'),
      user_id: one('u1', 'u2'),
      own: fc.boolean(),
      roles: one(['project_member'], ['admin'], []),
    })
    .map(({ own, ...scope }): Recipient => {
      const whole = { ...(scope.kind === 'system' ? systemScope : projectScope('p1')), ...scope } as Recipient['scope']
      return { scope: whole, grants: grantsIn(whole), ownProjectOnly: own }
    })
  const told = fc.record({ kind: one(...kinds), op: one('put', 'remove'), now: owned, before: fc.option(owned) })
  fc.assert(
    fc.property(reader, reader, told, (a, b, { kind: it, op, now, before }) => {
      const isSame =
        audienceOf(a) === audienceOf(b) && (it.visibility !== 'owner' || a.scope.user_id === b.scope.user_id)
      if (!isSame) return
      const { readers, ...owner } = now
      const entity = { id: 'x', name: 'x', ...owner, policies: readers.map(policyFor) }
      const change: LoggedChange = { revision: 1, kind: it.name, id: 'x', op, at: '', before, ...now }
      const heard = (of: Recipient) => changeFor(inventory, of, { change, entity: op === 'put' ? entity : null })
      expect(heard(a)).toEqual(heard(b))
    }),
    { numRuns: 5000 },
  )
})
