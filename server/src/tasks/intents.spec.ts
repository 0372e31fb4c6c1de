import type { JobHandler, JobRun, JobStart } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { me, openJobServers, type JobServers } from '../testing/job-servers'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

const meant: JobStart = { name: 'work', subject: { kind: 'server', id: 's1', name: 'web' }, args: { n: 1 }, scope: me }
const tasks = () =>
  jobs.sql<{ name: string }>(
    "select body ->> 'name' as name from resource where kind = 'task' and body ->> 'name' like 'intent%'",
  )
/** A handler that records its runs. */
function noting(outcome: () => Promise<unknown> = async () => null) {
  const runs: Pick<JobRun, 'prepared' | 'args'>[] = []
  const run: JobHandler['run'] = async ({ prepared, args }) => {
    runs.push({ prepared: prepared ?? false, args })
    return outcome()
  }
  return { runs, handler: { run } }
}
const silent = { times: { every: 600_000 } }

test('an intent has no task, is kept while its command is sent, and is replaced by the jobs that follow', async () => {
  const { runs, handler } = noting()
  const server = await jobs.serve({ intent: handler, work: handler }, { times: { every: 20 } })
  const intent = await server.prepare({ ...meant, name: 'intent' })
  // after many heartbeats, it still belongs to this server and has not run
  let beats = 0
  server.server.listen({ onBeat: () => beats++ })
  await jobs.until(() => beats > 5)
  expect(await jobs.sql('select owner, prepared from job')).toEqual([{ owner: server.server.epoch, prepared: true }])
  expect(await tasks()).toEqual([])
  await intent.done([meant, { ...meant, subject: { kind: 'server', id: 's2', name: '' } }])
  await jobs.until(() => runs.length === 2)
  expect(runs.map(({ prepared }) => prepared)).toEqual([false, false])
  expect(await tasks()).toEqual([])
})

test('withdrawing an intent leaves nothing behind', async () => {
  const server = await jobs.serve({})
  await (await server.prepare({ ...meant, name: 'intent' })).withdraw()
  expect(await jobs.sql('select from job')).toEqual([])
  expect(await tasks()).toEqual([])
})

test("another server resolves a dead server's intents and shows only those that failed", async () => {
  const dead = await jobs.serve({}, { replica: 'one', ...silent })
  await dead.prepare({ ...meant, name: 'intent-lost' })
  await dead.prepare({ ...meant, name: 'intent-found' })
  await jobs.silence(dead.server.epoch, 20)
  const lost = noting(() => Promise.reject(new Error('Nothing was done')))
  const found = noting()
  await jobs.serve({ 'intent-lost': lost.handler, 'intent-found': found.handler }, { replica: 'two' })
  await jobs.until(async () => (await jobs.sql('select from job')).length === 0)
  expect([...lost.runs, ...found.runs]).toEqual([
    { prepared: true, args: { n: 1 } },
    { prepared: true, args: { n: 1 } },
  ])
  expect(
    await jobs.sql(
      "select body ->> 'name' as name, body ->> 'state' as state, body ->> 'error' as error from resource where kind = 'task'  and body ->> 'name' like 'intent%'",
    ),
  ).toEqual([{ name: 'intent-lost', state: 'failed', error: 'Nothing was done' }])
})

test('an intent with an unknown outcome is resolved immediately and records that the caller was told', async () => {
  const { runs, handler } = noting()
  const server = await jobs.serve({ intent: handler })
  await (await server.prepare({ ...meant, name: 'intent' })).leave()
  await jobs.until(() => runs.length === 1)
  expect(runs).toEqual([{ prepared: true, args: { n: 1, told: true } }])
})

test('an intent whose outcome could not be saved is resolved by its own server', async () => {
  const { runs, handler } = noting()
  const server = await jobs.serve({ intent: handler }, { times: { every: 20 } })
  const intent = await server.prepare({ ...meant, name: 'intent' })
  // an invalid job makes the transaction fail in the same way as a lost connection
  await expect(intent.done([{ ...meant, args: { text: '\0' } }])).rejects.toThrow()
  await jobs.until(() => runs.length === 1)
  expect(runs[0]).toMatchObject({ prepared: true })
})
