import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { afterFirstAnswers, longestWaitMs, quietMs } from './first-answers'
import { queryClient } from './query-client'

beforeEach(() => {
  queryClient.clear()
  vi.useFakeTimers()
})
afterEach(() => {
  queryClient.clear()
  vi.useRealTimers()
})

/** Starts a query and returns a function that resolves it. */
function ask(name: string) {
  let answer = (_data: string) => {}
  const queryFn = () => new Promise<string>((resolve) => (answer = resolve))
  const asked = queryClient.fetchQuery({ queryKey: [name], queryFn })
  return async () => {
    answer('here')
    await asked
    await vi.advanceTimersByTimeAsync(1)
  }
}

it('runs the callback once, after all requests from the first page have received responses', async () => {
  const run = vi.fn()
  afterFirstAnswers(run)
  const answerList = ask('list')
  const answerQuotas = ask('quotas')
  await answerList()
  await vi.advanceTimersByTimeAsync(quietMs)
  expect(run).not.toHaveBeenCalled()
  await answerQuotas()
  await vi.advanceTimersByTimeAsync(quietMs)
  expect(run).toHaveBeenCalledOnce()
  await ask('more')()
  await vi.advanceTimersByTimeAsync(longestWaitMs)
  expect(run).toHaveBeenCalledOnce()
})

it('waits for requests triggered by a response', async () => {
  const run = vi.fn()
  afterFirstAnswers(run)
  await ask('list')()
  const answerNames = ask('names of what the rows have')
  await vi.advanceTimersByTimeAsync(quietMs)
  expect(run).not.toHaveBeenCalled()
  await answerNames()
  await vi.advanceTimersByTimeAsync(quietMs)
  expect(run).toHaveBeenCalledOnce()
})

it('stops waiting at its time limit, because a page may send no requests', () => {
  const run = vi.fn()
  afterFirstAnswers(run)
  vi.advanceTimersByTime(longestWaitMs - 1)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(run).toHaveBeenCalledOnce()
})

it('can be cancelled', () => {
  const run = vi.fn()
  afterFirstAnswers(run)()
  vi.advanceTimersByTime(longestWaitMs)
  expect(run).not.toHaveBeenCalled()
})
