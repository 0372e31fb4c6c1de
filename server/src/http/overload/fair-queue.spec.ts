import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue'

const generous = { atOnceOfTenant: 2, atOnce: 3, waitingOfTenant: 1000, waiting: 2000, waitMs: 10_000 }

/** Work that ends when it is told to. */
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

test('tenants take turns, however much one of them asks for', async () => {
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

test('a queue that is full refuses at once, of one tenant with 429 and of all with 503', async () => {
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

test('whose turn does not come in time, or who has gone, waits no longer', async () => {
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

test('work that fails gives its turn on', async () => {
  const turns = createFairQueue({ ...generous, atOnce: 1 })
  const failed = turns.run('one', () => Promise.reject(new Error('no')))
  const next = turns.run('two', () => Promise.resolve('done'))
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('done')
})
