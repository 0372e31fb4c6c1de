import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../../api/query-client'
import { freshSession, keepAccess } from '../../../testing/fresh-session'
import { renderUi } from '../../../testing/render-ui'
import { useConsoleProtocols, useEngineCan } from './use-engine-can'

const asked: string[] = []
const path = fillPath(computeCluster.view.path, {})
const engine = { capabilities: { instance_actions: ['start', 'shelve'], console_protocols: ['vnc', 'serial'] } }

beforeEach(() => {
  freshSession()
  keepAccess()
  queryClient.clear()
  asked.length = 0
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return Promise.resolve(Response.json(engine))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const Shelving = () => <p>{useEngineCan()('shelve') ? 'shelves' : 'does not shelve'}</p>
const Ways = () => <p>{useConsoleProtocols().join()}</p>
const show = () =>
  renderUi(
    <QueryClientProvider client={queryClient}>
      <Shelving />
      <Ways />
      <Shelving />
    </QueryClientProvider>,
  )

it('requests the cluster capabilities once for all components within 600 ms, and again after a change [CO-022]', async () => {
  const first = show()
  expect(await screen.findAllByText('shelves')).toHaveLength(2)
  expect(screen.getByText('vnc,serial')).toBeTruthy()
  expect(asked).toEqual([path])
  // the next page renders the same components
  first.unmount()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600 })
  show()
  expect(await screen.findAllByText('shelves')).toHaveLength(2)
  expect(asked).toEqual([path])
  await act(() => queryClient.invalidateQueries())
  expect(asked).toEqual([path, path])
})
