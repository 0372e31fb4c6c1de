import { expect, it } from 'vitest'
import { CallProblem } from '../api/problem'
import { bulkAtOnce, groupBy, runBulk } from './bulk'

const options = { signal: new AbortController().signal, onStep: () => {} }

it('works on five at a time [CO-018]', async () => {
  let running = 0
  let most = 0
  await runBulk(
    Array.from({ length: 23 }, (_, index) => index),
    async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
    },
    options,
  )
  expect(bulkAtOnce).toBe(5)
  expect(most).toBe(5)
})

it('goes on after a failure and tells what became of each, grouped by message', async () => {
  const result = await runBulk(
    ['a', 'b', 'c', 'd'],
    (item) =>
      item === 'a'
        ? Promise.resolve()
        : Promise.reject(
            new CallProblem({
              kind: 'validation',
              status: 409,
              code: 'in_use',
              message: item === 'd' ? 'It is locked' : 'It is in use',
            }),
          ),
    options,
  )
  expect(result.done).toEqual(['a'])
  expect(groupBy(result.failed, ({ problem }) => problem.message)).toMatchObject([
    { message: 'It is in use', items: [{ item: 'b' }, { item: 'c' }] },
    { message: 'It is locked', items: [{ item: 'd' }] },
  ])
})

it('starts none after it was stopped', async () => {
  const controller = new AbortController()
  const started: number[] = []
  await runBulk(
    Array.from({ length: 50 }, (_, index) => index),
    (item) => {
      started.push(item)
      controller.abort()
      return Promise.resolve()
    },
    { signal: controller.signal, onStep: () => {} },
  )
  expect(started.length).toBeLessThanOrEqual(bulkAtOnce)
})
