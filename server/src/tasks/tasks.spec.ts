import { setTimeout as sleep } from 'node:timers/promises'
import type { Kind } from '@mainstay/contract/core/kind'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { JobHandler } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { me, openJobServers, type JobServers } from '../testing/job-servers'
import { projectScope, systemScope } from '../testing/inventory-fixture'
import { tidy } from './janitor'

const kind = taskKind as unknown as Kind
let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())
const { begin, serve, view, over } = {
  begin: (...of: Parameters<JobServers['begin']>) => jobs.begin(...of),
  serve: (...of: Parameters<JobServers['serve']>) => jobs.serve(...of),
  view: (id: string) => jobs.view(id),
  over: (id: string) => jobs.over(id),
}

test('a job has a task that shows its progress and ends with a result [EN-005] [ST-024]', async () => {
  const id = await begin({ args: { size: 3 }, event: 'clicked', flow: 'f1' })
  expect(await view(id)).toMatchObject({
    state: 'starting',
    kwargs: { size: 3 },
    event: 'clicked',
    flow: 'f1',
    args: [{ id: 's1' }],
  })
  let seen: Task | undefined
  await serve({
    work: {
      async run(it) {
        it.progress(40)
        await jobs.until(async () => {
          seen = await view(it.task_id)
          return seen.progress === 40
        })
        return { made: it.args['size'], password: 'x' }
      },
    },
  })
  expect(await over(id)).toMatchObject({
    state: 'success',
    progress: 100,
    result: { made: 3 },
    error: null,
    finished_at: expect.any(String),
  })
  expect((await over(id)).result).not.toHaveProperty('password')
  expect(seen).toMatchObject({ state: 'running', progress: 40 })
})

test('a job started in a transaction that is rolled back never runs', async () => {
  const attempt = jobs.fixture.inventory.transaction(async (records) => {
    await records.startJob({ name: 'work', subject: { kind: 'server', id: 's1', name: '' }, args: {}, scope: me })
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  let runs = 0
  await serve({ work: { run: async () => void runs++ } })
  await over(await begin({ subject: { kind: 'server', id: 's2', name: '' } }))
  expect(runs).toBe(1)
})

test('a non-serial job does not wait for other jobs of its subject and does not delay them', async () => {
  await serve({
    look: { run: ({ signal }) => sleep(60_000, undefined, { signal }) },
    work: { run: async () => undefined },
  })
  const looking = await begin({ name: 'look', serial: false })
  await over(await begin())
  await over(await begin({ serial: false }))
  expect(await view(looking)).toMatchObject({ state: 'running' })
})

test('jobs for one subject run one at a time in order, and jobs for different subjects run concurrently', async () => {
  const order: string[] = []
  let atOnce = 0
  let most = 0
  const busy = new Set<string>()
  await serve(
    {
      work: {
        async run({ subject, args }) {
          expect(busy.has(subject.id)).toBe(false)
          busy.add(subject.id)
          most = Math.max(most, ++atOnce)
          await sleep(15)
          order.push(`${subject.id}:${String(args['n'])}`)
          busy.delete(subject.id)
          atOnce--
        },
      },
    },
    { pools: { interactive: { slots: 4, perProject: 4 } } },
  )
  const ids: string[] = []
  // the jobs of a subject are adjacent, so that several of them are among the first jobs to be claimed
  for (const id of ['a', 'b', 'c', 'd', 'e'])
    for (let n = 0; n < 5; n++) ids.push(await begin({ subject: { kind: 'server', id, name: '' }, args: { n } }))
  for (const id of ids) expect(await over(id)).toMatchObject({ state: 'success' })
  for (const id of ['a', 'b', 'c', 'd', 'e'])
    expect(order.filter((entry) => entry.startsWith(id))).toEqual(Array.from({ length: 5 }, (_, n) => `${id}:${n}`))
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
})

test('two servers share the work and run each job once', async () => {
  const done: string[] = []
  const handler = (server: string): JobHandler => ({
    async run({ task_id }) {
      done.push(`${server} ${task_id}`)
      await sleep(20)
    },
  })
  const pools = { interactive: { slots: 2, perProject: 2 } }
  await serve({ work: handler('one') }, { replica: 'r1', pools })
  await serve({ work: handler('two') }, { replica: 'r2', pools, at: await jobs.fixture.another() })
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) => begin({ subject: { kind: 'server', id: `s${n}`, name: '' } })),
  )
  for (const id of ids) await over(id)
  expect(new Set(done.map((entry) => entry.split(' ')[1]))).toEqual(new Set(ids))
  expect(done).toHaveLength(ids.length)
  expect(new Set(done.map((entry) => entry.split(' ')[0])).size).toBe(2)
})

test('a job that throws fails with the error message after its failure hook has run [EN-005] [ST-024]', async () => {
  let stateInHook = ''
  await serve({
    work: {
      run: () => Promise.reject(new Error('disk is full at http://me:secret@host/ password=abc')),
      async onFailure({ task_id }, error) {
        stateInHook = (await view(task_id)).state
        expect((error as Error).message).toContain('disk is full')
      },
    },
  })
  expect(await over(await begin())).toMatchObject({
    state: 'failed',
    error: 'disk is full at http://***@host/ password=***',
  })
  expect(stateInHook).toBe('running')
})

test('a failure hook that throws is retried before the task fails', { tags: 'all' }, async () => {
  let runs = 0
  let hooks = 0
  await serve({
    work: {
      run: () => {
        runs++
        return Promise.reject(new Error('broken'))
      },
      onFailure: () => (++hooks < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve()),
    },
  })
  expect(await over(await begin())).toMatchObject({ state: 'failed', error: 'broken' })
  expect([runs, hooks]).toEqual([1, 3])
})

test('a cancelled job is notified, cleans up and ends in the state cancelled [ST-024]', async () => {
  let hook = false
  const tasks = await serve({
    work: {
      run: (it) =>
        new Promise((_, reject) => {
          it.signal.addEventListener('abort', () => reject(new Error(it.cancelled() ? 'stopped' : 'lost')))
        }),
      onFailure: async (it) => void (hook = it.cancelled()),
    },
  })
  const id = await begin({ cancellable: true })
  while ((await view(id)).state !== 'running') await sleep(10)
  expect(await tasks.cancel(me, id)).toMatchObject({ state: 'cancelling' })
  expect(await over(id)).toMatchObject({ state: 'cancelled', error: null })
  expect(hook).toBe(true)
  await expect(tasks.cancel(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
})

test('a job that is cancelled before it starts only runs its failure hook', async () => {
  const tasks = await serve({})
  const id = await begin({ cancellable: true })
  await tasks.cancel(me, id)
  let [ran, hook] = [false, false]
  await serve({ work: { run: async () => void (ran = true), onFailure: async () => void (hook = true) } })
  expect(await over(id)).toMatchObject({ state: 'cancelled' })
  expect([ran, hook]).toEqual([false, true])
})

test('refuses to cancel a task that is not cancellable or not visible to the user', async () => {
  const tasks = await serve({})
  const id = await begin()
  await expect(tasks.cancel(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(tasks.cancel(projectScope('p2'), id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(tasks.cancel(me, 'nothing')).rejects.toMatchObject({ code: 'not_found' })
})

test('a closing server releases its jobs, and the next server continues them immediately', async () => {
  const attempts: number[] = []
  const handler: JobHandler = {
    async run(it) {
      attempts.push(it.attempt)
      if (it.attempt === 1) await sleep(60_000, undefined, { signal: it.signal })
      return 'done'
    },
  }
  const first = await serve({ work: handler })
  const id = await begin()
  while (attempts.length === 0) await sleep(5)
  await first.close()
  // the job was released, so that the next server does not have to wait until the lease expires
  expect(await jobs.sql('select owner from job')).toEqual([{ owner: null }])
  await serve({ work: handler })
  expect(await over(id)).toMatchObject({ state: 'success', result: 'done' })
  expect(attempts).toEqual([1, 2])
})

test('deletes tasks that ended more than 30 days ago', async () => {
  await serve({ work: { run: () => Promise.resolve() } })
  const [old, young] = [await begin(), await begin({ subject: { kind: 'server', id: 's2', name: '' } })]
  await over(old)
  await over(young)
  await jobs.sql("update resource set updated_at = now() - interval '31 days' where kind = 'task' and id = $1", [old])
  await tidy(jobs.fixture.inventory)
  const page = await jobs.fixture.inventory.list(kind, systemScope, { limit: 500 })
  const left = page.data.map(({ id }) => id)
  expect(left).toContain(young)
  expect(left).not.toContain(old)
})
