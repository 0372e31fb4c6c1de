import type { JobHandler, JobRun } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openJobServers, type JobServers } from '../testing/job-servers'
import { freeJobsOfDead } from './claim'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

const transaction: JobServers['fixture']['inventory']['transaction'] = (work) =>
  jobs.fixture.inventory.transaction(work)
const note = (run: JobRun, text: string) => transaction((tx) => tx.putPrivate('note', run.subject.id, { text }))
const noted = async () =>
  (await jobs.sql<{ data: unknown }>("select data from private_record where kind = 'note'"))[0]?.data

/** A job that runs until the test releases it, and reports its outcome. */
function held() {
  let goOn = () => {}
  const going = new Promise<void>((resolve) => (goOn = resolve))
  const seen = { began: false, outcome: null as unknown, aborted: false }
  const handler: JobHandler = {
    async run(job) {
      seen.began = true
      job.signal.addEventListener('abort', () => (seen.aborted = true))
      await going
      seen.outcome = await note(job, 'by who lost it').then(
        () => 'written',
        (error: Error) => error.message,
      )
    },
  }
  return { handler, seen, goOn: () => goOn() }
}

test('a server that has lost a job writes nothing for it, even if its work continues', async () => {
  const lost = held()
  const first = await jobs.serve({ work: lost.handler }, { replica: 'one', times: { every: 600_000 } })
  const id = await jobs.begin()
  await jobs.until(() => lost.seen.began)
  await jobs.silence(first.server.epoch, 20)
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const work: JobHandler = {
    async run(job) {
      await note(job, 'by who has it')
      await ended
    },
  }
  await jobs.serve({ work }, { replica: 'two' })
  await jobs.until(async () => (await noted()) !== undefined)
  // the new owner is still running the job
  lost.goOn()
  await jobs.until(() => lost.seen.outcome !== null)
  expect(lost.seen.outcome).toBe('the job was taken over by another server')
  end()
  expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  expect(await noted()).toEqual({ text: 'by who has it' })
})

test('a server that has lost a job writes nothing for it after the job has ended', async () => {
  const lost = held()
  const first = await jobs.serve({ work: lost.handler }, { replica: 'one', times: { every: 600_000 } })
  const id = await jobs.begin()
  await jobs.until(() => lost.seen.began)
  await jobs.silence(first.server.epoch, 20)
  await jobs.serve({ work: { run: (job) => note(job, 'by who has it') } }, { replica: 'two' })
  expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  lost.goOn()
  await jobs.until(() => lost.seen.outcome !== null)
  expect(lost.seen.outcome).toBe('the job was taken over by another server')
  expect(await noted()).toEqual({ text: 'by who has it' })
})

test('a job is not taken over while one of its transactions is in progress', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  let inside = false
  const work: JobHandler = {
    run: () =>
      transaction(async () => {
        inside = true
        await ended
      }),
  }
  const first = await jobs.serve({ work }, { replica: 'one', times: { every: 600_000 } })
  await jobs.begin()
  await jobs.until(() => inside)
  await jobs.silence(first.server.epoch, 20)
  const second = await jobs.serve({}, { replica: 'two', times: { every: 600_000 } })
  expect(await freeJobsOfDead(jobs.fixture.store.db, second.server)).toBe(0)
  end()
})

test('a hanging heartbeat releases jobs in time, before other servers take them over', async () => {
  const mine = held()
  const times = { every: 20, answer: 100, again: 20, lost: 300 }
  await jobs.serve({ work: mine.handler }, { times })
  const id = await jobs.begin()
  await jobs.until(() => mine.seen.began)
  const holder = await jobs.fixture.store.pool.connect()
  await holder.query('begin')
  await holder.query('lock table server in exclusive mode')
  await jobs.until(() => mine.seen.aborted)
  mine.goOn()
  await jobs.until(() => mine.seen.outcome !== null)
  await holder.query('rollback')
  holder.release()
  // the job is started again on this server, because there is no other one
  expect(await jobs.over(id)).toMatchObject({ state: 'success' })
})

test('callbacks that outlive a job may still write', async () => {
  let later: (() => Promise<unknown>) | null = null
  const work: JobHandler = {
    run: async (job) => {
      // work that the job starts, for example an instance that stops much later
      setImmediate(() => (later = () => note(job, 'much later')))
    },
  }
  await jobs.serve({ work })
  await jobs.over(await jobs.begin())
  await jobs.until(() => later !== null)
  await later!()
  expect(await noted()).toEqual({ text: 'much later' })
})
