import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { sshKeyKind, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import type { Page } from '@mainstay/contract/core/lists/paging'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { queryClient } from './query-client'
import { refresh } from './use-call'
import { useList, type List } from './use-list'

let asked: Record<string, string>[]
let list: List<SshKey>
const faults = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => {
  freshSession()
  keepAccess()
  faults.mockClear()
})
afterEach(() => vi.unstubAllGlobals())

const rows = (...ids: string[]) => ids.map((id) => ({ id, name: `name of ${id}` }))
const page = (ids: string[], part: object = {}) => ({ data: rows(...ids), pages: [], revision: 1, ...part })
const next = (marker: string) => ({ pages: [{ rel: 'next', marker }] })

/** Renders a list; the server returns these pages in order. */
async function show(...pages: object[]) {
  open(pages)
  await vi.waitFor(() => expect((list as List<SshKey> | undefined)?.isLoading).toBe(false))
}

function open(pages: object[], answer = (response: Response) => Promise.resolve(response)) {
  cleanup()
  queryClient.clear()
  list = undefined as never
  asked = []
  vi.stubGlobal('fetch', (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://console')
    // an earlier test file in this worker may still have a request in flight
    if (!pathname.endsWith(sshKeys.list.path)) return Promise.reject(new Error('not for this spec'))
    asked.push(Object.fromEntries(searchParams))
    return answer(Response.json(pages[asked.length - 1] ?? page([])))
  })
  const component = () => {
    list = useList(sshKeys.list, sshKeyKind, { stateIn: 'memory', limit: 2 })
    return null
  }
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
}
const ids = () => list.rows.map(({ id }) => id)
async function more(count: number) {
  list.loadMore()
  await vi.waitFor(() => expect(ids()).toHaveLength(count))
}

it('requests pages by limit and marker, and the count only once [CA-006]', async () => {
  await show(page(['a', 'b'], { count: 3, ...next('behind b') }), page(['c']))
  await more(3)
  expect(asked).toEqual([
    { sort: 'name:asc', limit: '2', with_count: 'true' },
    { sort: 'name:asc', limit: '2', marker: 'behind b' },
  ])
  expect([list.total, list.hasMore]).toEqual([3, false])
})

it('continues from a page’s marker, or else from its last ID, until all rows are loaded [CA-007]', async () => {
  await show(page(['a', 'b'], { count: 5, ...next('behind b') }), page(['c', 'd']), page(['e']))
  await more(4)
  expect(list.hasMore).toBe(true)
  await more(5)
  expect(asked.map(({ marker }) => marker)).toEqual([undefined, 'behind b', 'd'])
  expect(list.hasMore).toBe(false)
})

it('requests nothing after the last page', async () => {
  for (const part of [{ count: 2 }, { count: 7, count_estimated: true }, {}]) {
    await show(page(['a', 'b'], part))
    expect(list.hasMore).toBe(false)
  }
  await show(page([], { count: 3 }))
  expect(list.hasMore).toBe(false)
})

it('discards an initial response that predates a refresh', async () => {
  let arrive = () => {}
  const isAllowed = new Promise<void>((resolve) => (arrive = resolve))
  open([page(['a']), page(['a', 'made'])], (response) =>
    asked.length === 1 ? isAllowed.then(() => response) : Promise.resolve(response),
  )
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  void refresh([sshKeys.list])
  arrive()
  await vi.waitFor(() => expect(ids()).toEqual(['a', 'made']))
  expect(list.problem).toBeUndefined()
})

it('uses the same paging to load all matching rows', async () => {
  await show(
    page(['a', 'b'], { count: 5, ...next('behind b') }),
    page(['a', 'b'], { count: 3, ...next('x') }),
    page(['c']),
  )
  expect((await list.everyMatching()).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(asked.slice(1).map(({ limit, marker }) => [limit, marker])).toEqual([
    ['1000', undefined],
    ['1000', 'x'],
  ])
})

it('keeps each ID once, with the data from the later page, and reports a row without an ID [VA-019]', async () => {
  const moved: Partial<Page<SshKey>> = { data: [{ id: 'b', name: 'renamed' }, ...rows('c')] as SshKey[] }
  await show(page(['a', 'b'], { count: 4, ...next('behind b') }), page([], moved))
  await more(3)
  expect(list.rows.map(({ id, name }) => [id, name])).toEqual([
    ['a', 'name of a'],
    ['b', 'renamed'],
    ['c', 'name of c'],
  ])
  // ignores React's own warnings about `act`
  expect(faults.mock.calls.filter(([text]) => !String(text).includes('act('))).toEqual([])
  await show(page(['', 'a'], { count: 2 }))
  expect(faults).toHaveBeenCalledWith('Received a row without an ID', expect.objectContaining({ id: '' }))
})
