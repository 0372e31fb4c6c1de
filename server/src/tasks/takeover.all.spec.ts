import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { JobHandler } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openJobServers, type JobServers } from '../testing/job-servers'
import { freeJobsOfDead } from './claim'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

/** A server in another process that starts every job but completes none. */
async function otherServer(replica: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/postgres/hanging-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, jobs.fixture.url, replica], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Kills a server while it is running a job. Returns the job ID and the epoch of the dead server. */
async function runningAtKill(replica: string, id?: string): Promise<{ id: string; epoch: string }> {
  const child = await otherServer(replica)
  const job = id ?? (await jobs.begin({ name: 'hang' }))
  let epoch = ''
  await jobs.until(async () => {
    const rows = await jobs.sql<{ epoch: string }>(
      'select owner as epoch from job join server on owner = epoch::text where id = $1 and replica = $2',
      [job, replica],
    )
    epoch = rows[0]?.epoch ?? ''
    return epoch !== '' && (await jobs.view(job)).state === 'running'
  })
  await killed(child)
  return { id: job, epoch }
}

test('another server takes over a job from a killed server within 10 s', async () => {
  const { id, epoch } = await runningAtKill('theirs')
  let attempt = 0
  const work: JobHandler = { run: async () => undefined }
  await jobs.serve({ work, hang: { run: async (job) => void (attempt = job.attempt) } }, { replica: 'mine' })
  // allow for the time that a simple job currently takes, because the host may be busy
  const asked = performance.now()
  await jobs.over(await jobs.begin({ subject: { kind: 'server', id: 's2', name: '' } }))
  const usual = (performance.now() - asked) / 1000
  // skip the first eight seconds of silence
  await jobs.silence(epoch, 8)
  const began = performance.now()
  await jobs.over(id)
  expect(8 + (performance.now() - began) / 1000).toBeLessThan(10 + 2 + 10 * usual)
  expect(attempt).toBe(2)
})

/** A server that starts every job but completes none before `rest`, and sends no more heartbeats. */
async function silentServer(replica: string) {
  let rest = () => {}
  const resting = new Promise<void>((resolve) => (rest = resolve))
  const one = await jobs.serve({ work: { run: () => resting } }, { replica, times: { every: 600_000 } })
  const id = await jobs.begin()
  await jobs.until(async () => (await jobs.view(id)).state === 'running')
  return { id, rest, server: one.server }
}

test('a server that is silent for less than nine seconds keeps its jobs', async () => {
  const { rest, server } = await silentServer('theirs')
  const other = await jobs.serve({}, { replica: 'mine', times: { every: 600_000 } })
  const { db } = jobs.fixture.store
  await jobs.sql("update job set lease_until = now() + interval '4 s' where owner = $1", [server.epoch])
  expect(await freeJobsOfDead(db, other.server)).toBe(0)
  await jobs.sql("update job set lease_until = now() - interval '1 s' where owner = $1", [server.epoch])
  expect(await freeJobsOfDead(db, other.server)).toBe(1)
  rest()
})

test('a restarted replica takes over its own jobs after three seconds of silence', async () => {
  const { id, rest, server } = await silentServer('mine')
  await jobs.silence(server.epoch, 2)
  let attempt = 0
  const work: JobHandler = { run: async (job) => void (attempt = job.attempt) }
  await jobs.serve({ work }, { replica: 'mine', times: { every: 20 } })
  expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  // on a host that stalls, the job may be lost again
  expect(attempt).toBeGreaterThanOrEqual(2)
  rest()
})

test('a job that has crashed its server twice is abandoned without a third attempt', async () => {
  const first = await runningAtKill('theirs')
  await jobs.silence(first.epoch, 20)
  const second = await runningAtKill('theirs', first.id)
  await jobs.silence(second.epoch, 20)
  let [ran, cleaned] = [0, 0]
  await jobs.serve({ hang: { run: async () => void ran++, onFailure: async () => void cleaned++ } })
  const task = await jobs.over(first.id)
  expect(task).toMatchObject({ state: 'failed', err_code: 'job_gave_up' })
  expect(task.error).toContain('stopped 2 times')
  expect(task.error).toContain(task.id)
  expect([ran, cleaned]).toEqual([0, 1])
})

/** Epoch of a server that died an hour ago. */
const DEAD = '00000000-0000-4000-8000-000000000001'
const deadServer = () =>
  jobs.sql(
    "insert into server (epoch, replica, host, version, seen_at) values ($1, 'x', '', '', now() - interval '1 h')",
    [DEAD],
  )

test('a cleanup that crashes its server is attempted at most twice', async () => {
  const id = await jobs.begin()
  await deadServer()
  let cleaned = 0
  for (let death = 1; death <= 2; death++) {
    // the job has failed, and its server died in `onFailure`
    await jobs.sql(
      "update job set failure = 'broken', owner = $2, lease_until = now() - interval '1 s' where id = $1",
      [id, DEAD],
    )
    const server = await jobs.serve({})
    await jobs.until(
      async () => (await jobs.sql('select from job where owner is null and takeovers = $1', [death])).length === 1,
    )
    await server.close()
  }
  await jobs.serve({ work: { run: async () => undefined, onFailure: async () => void cleaned++ } })
  expect(await jobs.over(id)).toMatchObject({ state: 'failed', error: 'broken' })
  expect(cleaned).toBe(0)
})

test('jobs are not blamed for a server that stops in an orderly way or is upgraded', async () => {
  const { id, rest, server } = await silentServer('theirs')
  // the server leaves before its job has ended
  await server.leave()
  await jobs.sql("update job set lease_until = now() - interval '1 s'")
  await jobs.serve({}, { replica: 'mine' })
  await jobs.until(async () => (await jobs.sql('select from job where owner is null')).length === 1)
  expect(await jobs.sql('select takeovers from job where id = $1', [id])).toEqual([{ takeovers: 0 }])
  rest()
})
