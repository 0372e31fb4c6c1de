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

/** Keeps only requests to these paths, because other pages in the same worker may still be polling. */
const askedFor = (paths: readonly string[]) => asked.filter(({ pathname }) => paths.includes(pathname))

/** Renders a component, waits for `count` requests to these paths, and returns the page size of each. */
async function sizesOf(
  component: () => React.ReactNode,
  count: number,
  ...paths: string[]
): Promise<Record<string, string | null>> {
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  renderUi(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(askedFor(paths).map(String)).toHaveLength(count), { timeout: 60_000 })
  return Object.fromEntries(askedFor(paths).map(({ pathname, searchParams }) => [pathname, searchParams.get('limit')]))
}

it('a picker in a form loads 100 rows at a time [CO-015]', async () => {
  const choice = await sizesOf(() => <FlavorPicker chosen={null} onChoose={() => {}} />, 1, '/api/v2/compute/flavors')
  expect(choice).toEqual({ '/api/v2/compute/flavors': '100' })
})

it('a list within a page loads 30 rows at a time [CO-015]', async () => {
  setSession({ user: { domain_id: 'd1' } as never })
  const group = {
    id: 'g1',
    name: 'ops',
    domain_id: 'default',
    assigned_projects: [],
    system_permissions: [],
  } as unknown as Group
  // group members may belong to any domain
  const path = '/api/v2/domains/-/users'
  expect(await sizesOf(() => <GroupMembers group={group} />, 1, path)).toEqual({ [path]: '30' })
})

it('background comparisons load 600 rows at a time, and “all matching rows” 1000 [CO-015]', async () => {
  const Arrivals = () => {
    useArrivals()
    return null
  }
  const arrivals = await sizesOf(() => <Arrivals />, 2, '/api/v2/compute/images', '/api/v2/tasks')
  expect(arrivals).toEqual({ '/api/v2/compute/images': '600', '/api/v2/tasks': '600' })
  cleanup()
  asked = []
  let list: List | undefined
  const All = () => {
    list = useList(volumes.list, volumeKind, { stateIn: 'memory' }) as unknown as List
    return null
  }
  const path = '/api/v2/compute/volumes'
  await sizesOf(() => <All />, 1, path)
  await list!.everyMatching()
  expect(askedFor([path]).map(({ searchParams }) => searchParams.get('limit'))).toEqual(['20', '1000'])
})

it('the audit log loads 256 lines per page, for both older and new lines [CO-014]', async () => {
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
  const path = '/api/v2/audit_log'
  await sizesOf(() => <Log />, 2, path)
  log!.loadMore()
  await vi.waitFor(() => expect(askedFor([path])).toHaveLength(3))
  const of = (name: string) => askedFor([path]).map(({ searchParams }) => searchParams.get(name))
  expect([of('limit'), of('marker'), of('after')]).toEqual([
    ['256', '256', '256'],
    [null, null, 'next'],
    [null, '0', null],
  ])
})
