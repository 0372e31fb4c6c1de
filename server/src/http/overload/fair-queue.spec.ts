import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue'

const generous = { atOnceOfTenant: 2, atOnce: 3, waitingOfTenant: 1000, waiting: 2000, waitMs: 10_000 }

/** Jobs that run until the test finishes them. */
function fixture(limits: Partial<typeof generous> = {}) {
  const turns = createFairQueue({ ...generous, ...limits })
  const started: string[] = []
  const running: { tenant: string; finish: () => void }[] = []
  const ask = (tenant: string, gone?: AbortSignal) =>
    turns.run(
      tenant,
      () => {
        started.push(tenant)
        return new Promise<void>((finish) => running.push({ tenant, finish }))
      },
      gone,
    )
  const finishOne = async () => {
    running.shift()!.finish()
    await sleep(0)
  }
  return { ask, started, running, finishOne }
}

test('serves tenants in turn, regardless of how much one of them requests', async () => {
  const { ask, started, running, finishOne } = fixture()
  const all = Array.from({ length: 50 }, () => ask('greedy'))
  all.push(ask('modest'), ask('third'))
  await sleep(0)
  expect(started).toEqual(['greedy', 'greedy', 'modest'])
  await finishOne()
  expect(started.slice(3)).toEqual(['third'])
  await finishOne()
  expect(started.slice(3)).toEqual(['third', 'greedy'])
  while (running.length > 0) {
    expect(running.filter(({ tenant }) => tenant === 'greedy').length).toBeLessThanOrEqual(2)
    await finishOne()
  }
  await Promise.all(all)
  expect(started).toHaveLength(52)
})

test('refuses immediately if a queue is full: 429 for one tenant, 503 for all', async () => {
  const { ask, running } = fixture({ waitingOfTenant: 3, waiting: 4 })
  const asked = Array.from({ length: 5 }, () => ask('one'))
  await expect(ask('one')).rejects.toMatchObject({ status: 429, data: { retry_after: 2 } })
  asked.push(ask('two'), ask('two'))
  await expect(ask('three')).rejects.toMatchObject({ status: 503, code: 'server_busy', data: { retry_after: 2 } })
  while (asked.length > 0 && running.length > 0) {
    running.shift()!.finish()
    await sleep(0)
  }
  await Promise.all(asked)
})

test('stops waiting after the time limit and when the caller disconnects', async () => {
  const { ask, started, finishOne } = fixture({ atOnceOfTenant: 1, waitMs: 20 })
  const first = ask('one')
  const leaving = new AbortController()
  const left = ask('one', leaving.signal)
  leaving.abort()
  await expect(left).rejects.toMatchObject({ status: 429 })
  await expect(ask('one')).rejects.toMatchObject({ status: 429 })
  await finishOne()
  await first
  expect(started).toEqual(['one'])
})

test('passes the turn to the next caller after a failure', async () => {
  const turns = createFairQueue({ ...generous, atOnce: 1 })
  const failed = turns.run('one', () => Promise.reject(new Error('no')))
  const next = turns.run('two', () => Promise.resolve('done'))
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('done')
})
