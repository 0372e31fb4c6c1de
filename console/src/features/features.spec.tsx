import { act, renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Feature } from '@mainstay/contract/settings/features'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/query-client'

const served: Feature[] = [
  { id: 'tasks-notifications', enabled: true, metadata: { target: 'common' } },
  { id: 'project-search', enabled: false, metadata: { target: 'self-service' } },
  { id: 'of another version', enabled: true, metadata: { target: 'common' } },
]
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
)
const inPanel = async (panel: 'admin' | 'self-service') => {
  const { setSession } = await import('../session/session')
  act(() => setSession({ panel: { panel, version: '1' } }))
}

let said: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  queryClient.clear()
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(served)))
  said = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  said.mockRestore()
})

/** Loads a fresh copy of the module, as on a newly opened page. */
async function open(kept?: string, panel: 'admin' | 'self-service' = 'self-service') {
  vi.resetModules()
  await inPanel(panel)
  if (kept === undefined) localStorage.removeItem('features')
  else localStorage.setItem('features', kept)
  return import('./features')
}
async function isOn(it: Awaited<ReturnType<typeof open>>, id: string) {
  const { result, unmount } = renderHook(() => ({ isOn: it.useFeature(id as never), ...it.useFeatures() }), { wrapper })
  await vi.waitFor(() => expect(result.current.items).toBeDefined())
  unmount()
  return result.current.isOn
}

it('uses the value from the server unless it is overridden in this browser [VA-024]', async () => {
  const asServed = await open()
  expect([await isOn(asServed, 'tasks-notifications'), await isOn(asServed, 'project-search')]).toEqual([true, false])
  act(() => asServed.turnFeature(served[0]!, false))
  act(() => asServed.turnFeature(served[1]!, true))
  const kept = localStorage.getItem('features')!
  expect(JSON.parse(kept)).toEqual({ 'tasks-notifications': false, 'project-search': true })
  const reloaded = await open(kept)
  expect([await isOn(reloaded, 'tasks-notifications'), await isOn(reloaded, 'project-search')]).toEqual([false, true])
  // an override equal to the server value is removed
  act(() => reloaded.turnFeature(served[1]!, false))
  expect(JSON.parse(localStorage.getItem('features')!)).toEqual({ 'tasks-notifications': false })
  act(() => reloaded.resetFeatures())
  expect(localStorage.getItem('features')).toBeNull()
  expect(await isOn(reloaded, 'tasks-notifications')).toBe(true)
})

it.each(['{', '[]', 'null', '"on"', '{"tasks-notifications":"yes"}', ''])(
  'resets the overrides if the stored value is %s [VA-022]',
  async (kept) => {
    const features = await open(kept)
    expect(localStorage.getItem('features')).toBeNull()
    expect([await isOn(features, 'tasks-notifications'), await isOn(features, 'project-search')]).toEqual([true, false])
  },
)

it('treats an unknown feature as disabled and logs one error [VA-021]', async () => {
  const features = await open('{"flying":true}')
  expect([await isOn(features, 'flying'), await isOn(features, 'flying')]).toEqual([false, false])
  expect(said.mock.calls).toEqual([['There is no feature flying']])
  expect(await isOn(features, 'tasks-notifications')).toBe(true)
  expect(said).toHaveBeenCalledTimes(1)
})

it('ignores overrides of self-service features in the admin panel, and applies common features in both panels [VA-023]', async () => {
  const features = await open('{"project-search":true}')
  expect(await isOn(features, 'project-search')).toBe(true)
  await inPanel('admin')
  expect([await isOn(features, 'project-search'), await isOn(features, 'tasks-notifications')]).toEqual([false, true])
  const { result } = renderHook(() => features.useFeatures(), { wrapper })
  await vi.waitFor(() => expect(result.current.items?.map(({ id }) => id)).toEqual(['tasks-notifications']))
})

it('logs one error and disables every feature if the features file is not valid JSON [ER-070]', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"id":')))
  const it = await open()
  const { result, unmount } = renderHook(
    () => [it.useFeature('tasks-notifications'), it.useFeature('project-search')],
    {
      wrapper,
    },
  )
  await vi.waitFor(() => expect(said).toHaveBeenCalledWith('/features.json is no JSON'))
  expect(said).toHaveBeenCalledOnce()
  expect(result.current).toEqual([false, false])
  unmount()
})
