import type { Change } from '@mainstay/contract/core/events'
import { networks } from '@mainstay/contract/networking/networks'
import { reach } from '@mainstay/contract/networking/reach'
import { volumes } from '@mainstay/contract/storage/volumes'
import { beforeEach, expect, it } from 'vitest'
import { listKey, viewKey } from './keys'
import { forgetApplied, patchCache } from './patch-cache'
import { queryClient } from './query-client'

/* An in-memory cloud that answers volume lists like the server, and the cache that tracks it. */

interface Volume {
  id: string
  name: string
  status: string
  size: number
  description: string
}

/** Seeded random number generator, so that failures are reproducible. */
function seeded(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return {
    below: (most: number) => Math.floor(next() * most),
    of: <T>(values: readonly T[]) => values[Math.floor(next() * values.length)]!,
  }
}

const statuses = ['available', 'in-use', 'error']
const filters: readonly Record<string, string>[] = [
  {},
  { status: 'in-use' },
  { status: 'in:error,available' },
  { name: 'a' },
  { size: 'gte:3' },
  { search: 'b' },
]
const sorts = ['name:asc', 'size:desc', 'status:asc', 'id:desc']

function matches(row: Volume, asked: Record<string, string>): boolean {
  const { status, name, size, search } = asked
  if (status && !status.replace('in:', '').split(',').includes(row.status)) return false
  if (name && !row.name.includes(name)) return false
  if (size && row.size < Number(size.replace('gte:', ''))) return false
  return !search || row.name.includes(search)
}

function inOrder(sort: string) {
  const [key, direction] = sort.split(':') as [keyof Volume, string]
  const sign = direction === 'asc' ? 1 : -1
  return (one: Volume, other: Volume) => {
    const order = one[key] < other[key] ? -1 : one[key] > other[key] ? 1 : one.id < other.id ? -1 : 1
    return sign * order
  }
}

let revision = 0
const rows = new Map<string, Volume>()
const fresh = (question: Record<string, string>) => ({
  data: [...rows.values()].filter((row) => matches(row, question)).toSorted(inOrder(question['sort']!)),
  ...{ pages: [], revision },
})
const keyOf = (question: Record<string, string>) => listKey('volume', volumes.list, {}, question)
const ask = (question: Record<string, string>) =>
  queryClient.setQueryData(keyOf(question), { pages: [fresh(question)], pageParams: [''] })
const shown = (question: Record<string, string>) =>
  queryClient.getQueryData<{ pages: { data: Volume[] }[] }>(keyOf(question))!.pages.flatMap(({ data }) => data)

const changed = (id: string): Change => {
  const entity = rows.get(id) ?? null
  return {
    ...{ revision, kind: 'volume', id, op: entity ? 'put' : 'remove', project_id: null, domain_id: null, at: '' },
    entity: entity && { ...entity },
  }
}
/** Handles a batch like the change flow: patches the cache, refetches the rest, and returns the number of refetches. */
function follow(changes: Change[]): number {
  const { refetch } = patchCache(queryClient, changes)
  for (const query of queryClient.getQueryCache().findAll())
    if (refetch.has(query.queryHash)) ask(query.queryKey[4] as Record<string, string>)
  return refetch.size
}

beforeEach(() => {
  queryClient.clear()
  forgetApplied()
  rows.clear()
  revision = 0
})

it('a patched list equals a freshly loaded one for any filter and sort', () => {
  for (let seed = 1; seed <= 40; seed++) {
    queryClient.clear()
    forgetApplied()
    rows.clear()
    const { below, of } = seeded(seed)
    const some = (id: string): Volume => ({
      ...{ id, name: of(['a', 'b', 'ab', 'c']) + id, status: of(statuses) },
      ...{ size: below(6), description: '' },
    })
    for (let at = 0; at < 12; at++) rows.set(`v${at}`, some(`v${at}`))
    const questions = Array.from({ length: 4 }, () => ({ ...of(filters), sort: of(sorts) }))
    questions.forEach(ask)
    for (let step = 0; step < 60; step++) {
      const group = Array.from({ length: 1 + below(4) }, () => {
        const id = `v${below(16)}`
        revision += 1
        if (below(6) === 0) rows.delete(id)
        else rows.set(id, rows.has(id) && below(2) === 0 ? { ...rows.get(id)!, status: of(statuses) } : some(id))
        return changed(id)
      })
      // a later change to a row replaces earlier ones
      follow(
        [...new Map(group.map((change) => [change.id, change])).values()].toSorted((a, b) => a.revision - b.revision),
      )
      for (const question of questions) expect(shown(question), `${seed} ${step}`).toEqual(fresh(question).data)
    }
  }
})

it('does not refetch a list when a field changes that it neither filters nor sorts by', () => {
  for (const id of ['v1', 'v2']) rows.set(id, { id, name: id, status: 'available', size: 1, description: '' })
  const [plain, narrow] = [{ sort: 'name:asc' }, { sort: 'name:asc', status: 'available' }]
  ask(plain)
  ask(narrow)
  const change = (part: Partial<Volume>) => {
    revision += 1
    rows.set('v1', { ...rows.get('v1')!, ...part })
    return follow([changed('v1')])
  }
  expect(change({ description: 'new' })).toBe(0)
  // affects only the filtered list
  expect(change({ status: 'in-use' })).toBe(1)
  expect(shown(narrow).map(({ id }) => id)).toEqual(['v2'])
  // the filtered list does not contain the row, so it cannot tell whether the row now matches
  expect(change({ name: 'z' })).toBe(2)
  expect(shown(plain).map(({ id }) => id)).toEqual(['v2', 'v1'])
})

it('refetches a composite view after changes to the kinds that it consists of, and no others', () => {
  const key = viewKey('security_group port', reach.ask, {}, { protocol: 'tcp' })
  const other = viewKey('network', networks.addressUse, {}, {})
  for (const queryKey of [key, other]) queryClient.setQueryData(queryKey, { verdict: 'allowed' })
  const asked = (kind: string): string[] => {
    revision += 1
    const change = {
      revision,
      kind,
      id: 'x',
      op: 'put',
      project_id: null,
      domain_id: null,
      at: '',
      entity: { id: 'x' },
    }
    const { refetch } = patchCache(queryClient, [change as unknown as Change])
    const all = queryClient.getQueryCache().findAll()
    return all.filter(({ queryHash }) => refetch.has(queryHash)).map(({ queryKey }) => String(queryKey[1]))
  }
  expect(asked('port')).toEqual(['security_group port'])
  expect(asked('security_group')).toEqual(['security_group port'])
  expect(asked('network')).toEqual(['network'])
  expect(asked('volume')).toEqual([])
})
