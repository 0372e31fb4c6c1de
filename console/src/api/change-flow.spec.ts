import { InfiniteQueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Change } from '@mainstay/contract/core/events'
import { startChangeFlow } from './change-flow'
import { queryClient } from './query-client'

const put = (id: string, revision: number): Change => ({
  ...{ revision, kind: 'key', id, op: 'put', project_id: null, domain_id: null, at: '' },
  entity: { id, name: id },
})

beforeEach(() => {
  vi.useFakeTimers()
  queryClient.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

it('refetches a list immediately for a new row, and at most every 2000 ms during a burst [CO-025]', async () => {
  const asked: number[] = []
  const list = new InfiniteQueryObserver(queryClient, {
    queryKey: ['list', 'key', '/keys', {}, {}],
    queryFn: () => {
      asked.push(Date.now())
      return { data: [], pages: [], count: 0, revision: 10 }
    },
    initialPageParam: '',
    getNextPageParam: () => undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const leave = list.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  const flow = startChangeFlow(() => true, 10)
  const begun = Date.now()
  asked.length = 0
  for (let number = 1; number <= 50; number++) {
    flow.take([put(`new ${number}`, 10 + number)])
    await vi.advanceTimersByTimeAsync(100)
  }
  flow.stop()
  leave()
  expect(asked.map((at) => Math.floor((at - begun) / 100))).toEqual([0, 20, 40])
})
