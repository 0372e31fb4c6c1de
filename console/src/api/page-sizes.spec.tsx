import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup } from '@testing-library/react'
import type { Group } from '@mainstay/contract/identity/groups'
import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { GroupMembers } from '../areas/identity/groups/GroupMembers'
import { useArrivals } from '../areas/compute/images/sources/use-imports'
import { useAuditLines, type AuditLines } from '../areas/monitoring/audit/use-audit-lines'
import { loadTexts } from '../i18n/use-t'
import { FlavorPicker } from '../pickers/FlavorPicker'
import { setSession } from '../session/session'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { renderUi } from '../testing/render-ui'
import { queryClient } from './query-client'
import { useList, type List } from './use-list'

let asked: URL[]
beforeAll(() => Promise.all([loadTexts('compute'), loadTexts('identity'), loadTexts('patterns'), loadTexts('shell')]))
beforeEach(() => {
  freshSession()
  keepAccess()
  queryClient.clear()
  asked = []
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(new URL(address, 'http://console'))
    return Response.json({ data: [], pages: [], count: 0, revision: 1 })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** How many rows at a time are asked for, by what is asked. */
async function sizesOf(component: () => React.ReactNode, count: number): Promise<Record<string, string | null>> {
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  renderUi(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(asked).toHaveLength(count), { timeout: 20_000 })
  return Object.fromEntries(asked.map(({ pathname, searchParams }) => [pathname, searchParams.get('limit')]))
}

it('a form offers 100 rows at a time [CO-015]', async () => {
  const choice = await sizesOf(() => <FlavorPicker chosen={null} onChoose={() => {}} />, 1)
  expect(choice).toEqual({ '/api/v2/compute/flavors': '100' })
})

it('a part of a page has 30 rows at a time [CO-015]', async () => {
  setSession({ user: { domain_id: 'd1' } as never })
  const group = {
    id: 'g1',
    name: 'ops',
    domain_id: 'default',
    assigned_projects: [],
    system_permissions: [],
  } as unknown as Group
  expect(await sizesOf(() => <GroupMembers group={group} />, 1)).toEqual({ '/api/v2/domains/d1/users': '30' })
})

it('what compares with all rows reads 600 at a time, and all that match are 1000 at a time [CO-015]', async () => {
  const Arrivals = () => {
    useArrivals()
    return null
  }
  expect(await sizesOf(() => <Arrivals />, 2)).toEqual({
    '/api/v2/compute/images': '600',
    '/api/v2/tasks': '600',
  })
  cleanup()
  asked = []
  let list: List | undefined
  const All = () => {
    list = useList(volumes.list, volumeKind, { stateIn: 'memory' }) as unknown as List
    return null
  }
  await sizesOf(() => <All />, 1)
  await list!.everyMatching()
  expect(asked.map(({ searchParams }) => searchParams.get('limit'))).toEqual(['20', '1000'])
})

it('the audit log has 256 lines on a page, and as many of those that came since [CO-014]', async () => {
  const answer = { data: [], pages: [{ marker: 'next' }], count: 0 }
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(new URL(address, 'http://console'))
    return Promise.resolve(Response.json(answer))
  })
  let log: AuditLines | undefined
  const Log = () => {
    log = useAuditLines()
    return null
  }
  await sizesOf(() => <Log />, 2)
  log!.loadMore()
  await vi.waitFor(() => expect(asked).toHaveLength(3))
  const of = (name: string) => asked.map(({ searchParams }) => searchParams.get(name))
  expect([of('limit'), of('marker'), of('after')]).toEqual([
    ['256', '256', '256'],
    [null, null, 'next'],
    [null, '0', null],
  ])
})
