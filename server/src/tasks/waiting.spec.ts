import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHandler, JobRun } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { me, openJobServers, type JobServers } from '../testing/job-servers'
import { projectScope } from '../testing/inventory-fixture'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

const on = (id: string) => ({ kind: 'server', id, name: '' })
const other = projectScope('p2')
/** Runs until its signal is aborted. */
const endless: JobHandler = { run: ({ signal }) => sleep(60_000, undefined, { signal }) }

test('a job waits without occupying a slot and continues with its state', async () => {
  const runs: Pick<JobRun, 'state' | 'attempt'>[] = []
  const waiter: JobHandler = {
    run: async ({ state, attempt }) => {
      runs.push({ state, attempt })
      return runs.length < 4 ? { again: 30, state: { looks: runs.length } } : 'done'
    },
  }
  const tasks = await jobs.serve({ work: waiter }, { pools: { interactive: { slots: 1, perProject: 1 } } })
  const id = await jobs.begin()
  expect(await jobs.over(id)).toMatchObject({ state: 'success', result: 'done' })
  expect(runs).toEqual([
    { state: {}, attempt: 1 },
    { state: { looks: 1 }, attempt: 2 },
    { state: { looks: 2 }, attempt: 3 },
    { state: { looks: 3 }, attempt: 4 },
  ])
  await jobs.until(() => tasks.running() === 0)
})

test('every run of a job receives the time when its wait began', async () => {
  const runs: Pick<JobRun, 'since' | 'time'>[] = []
  const work: JobHandler = {
    run: async ({ since, time }) => (runs.push({ since, time }) < 3 ? { again: 20 } : 'done'),
  }
  await jobs.serve({ work })
  expect(await jobs.over(await jobs.begin())).toMatchObject({ result: 'done' })
  const [first, ...later] = runs
  expect(first!.since).toBe(first!.time)
  for (const { since, time } of later) {
    expect(since).toBeCloseTo(first!.time, 0)
    expect(time).toBeGreaterThan(since)
  }
})

test('waiting jobs block nothing: a hundred of them leave the only slot to the next job', async () => {
  let waiting = 0
  const work: JobHandler = { run: async () => (waiting++, { again: 600_000 }) }
  const quick: JobHandler = { run: async () => 'quick' }
  await jobs.serve({ work, quick }, { pools: { interactive: { slots: 1, perProject: 1 } } })
  await Promise.all(Array.from({ length: 100 }, (_, n) => jobs.begin({ subject: on(`s${n}`) })))
  await jobs.until(() => waiting === 100)
  const id = await jobs.begin({ name: 'quick', subject: on('q') })
  expect(await jobs.over(id)).toMatchObject({ result: 'quick' })
})

test('a job that another server left waiting continues here when it is due', async () => {
  const one = await jobs.serve({ work: { run: async () => ({ again: 300, state: { by: 'one' } }) } })
  const id = await jobs.begin()
  await jobs.until(
    async () => (await jobs.sql('select from job where state is not null and owner is null')).length === 1,
  )
  await one.close()
  await jobs.serve({ work: { run: async ({ state }) => state } }, { replica: 'two' })
  expect(await jobs.over(id)).toMatchObject({ state: 'success', result: { by: 'one' } })
})

test('a waiting job can be cancelled immediately and cleans up', async () => {
  let undone = false
  const work: JobHandler = {
    async run({ signal }) {
      signal.throwIfAborted()
      return { again: 600_000 }
    },
    onFailure: async (job) => void (undone = job.cancelled()),
  }
  const tasks = await jobs.serve({ work })
  const id = await jobs.begin({ cancellable: true })
  await jobs.until(async () => (await jobs.sql('select from job where state is not null')).length === 1)
  const asked = performance.now()
  await tasks.cancel(me, id)
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled', error: null })
  expect(performance.now() - asked).toBeLessThan(10_000)
  expect(undone).toBe(true)
})

test('a waiting job runs again when its subject changes', async () => {
  let [looks, isOff] = [0, false]
  await jobs.serve({ work: { run: async () => (looks++, isOff ? 'off' : { again: 600_000 }) } })
  const id = await jobs.begin()
  await jobs.until(async () => (await jobs.sql('select from job where state is not null')).length === 1)
  isOff = true
  await jobs.fixture.inventory.transaction((tx) => tx.wakeJobs('server', 's1'))
  expect(await jobs.over(id)).toMatchObject({ result: 'off' })
  expect(looks).toBe(2)
})

test('a project is limited to its share of a pool, so that other projects also get slots', async () => {
  const tasks = await jobs.serve(
    { work: endless, quick: { run: async () => 'quick' } },
    {
      pools: { interactive: { slots: 4, perProject: 2 } },
    },
  )
  for (let n = 0; n < 10; n++) await jobs.begin({ subject: on(`s${n}`) })
  await jobs.until(() => tasks.running() === 2)
  const quick = await jobs.fixture.inventory.transaction((tx) =>
    tx.startJob({ name: 'quick', subject: on('q'), args: {}, scope: other }),
  )
  await jobs.until(async () => (await jobs.sql('select from job where id = $1', [quick])).length === 0)
  await jobs.until(() => tasks.running() === 2)
  expect(await jobs.sql('select count(*) from job where owner is null')).toEqual([{ count: 8 }])
})

test('jobs in one pool do not occupy slots in another', async () => {
  const pools = { interactive: { slots: 1, perProject: 1 }, bulk: { slots: 1, perProject: 1 } }
  const tasks = await jobs.serve({ copy: { ...endless, pool: 'bulk' }, work: { run: async () => 'done' } }, { pools })
  for (const id of ['a', 'b', 'c']) await jobs.begin({ name: 'copy', subject: on(id) })
  await jobs.until(() => tasks.running() === 1)
  expect(await jobs.over(await jobs.begin())).toMatchObject({ result: 'done' })
})

test('jobs run in the order in which they become due, across projects', async () => {
  const order: string[] = []
  const work: JobHandler = { run: async ({ subject }) => void order.push(subject.id) }
  for (const [n, scope] of [me, other, me, other].entries()) await jobs.begin({ subject: on(`s${n}`), scope })
  await jobs.serve({ work }, { pools: { interactive: { slots: 1, perProject: 1 } } })
  await jobs.until(() => order.length === 4)
  expect(order).toEqual(['s0', 's1', 's2', 's3'])
})
