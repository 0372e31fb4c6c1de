import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openJobServers, type JobServers } from '../testing/job-servers'
import { claimUnknownJobs } from './claim'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

const router = { name: 'compute.router.create', subject: { kind: 'router', id: 'r1', name: '' } }
const due = (minutes: number) =>
  jobs.sql(
    'update job set not_before = now() - make_interval(mins => $1), created_at = now() - make_interval(hours => 9)',
    [minutes],
  )
const unknown = (names: string[]) => claimUnknownJobs(jobs.fixture.store.db, 'x', names, 600_000)

test('a server leaves jobs to a newer server that knows them, however old the jobs are', async () => {
  const newer = await jobs.serve({}, { replica: 'new' })
  await newer.server.declare({ jobNames: [router.name] })
  const ids: string[] = []
  for (let n = 0; n < 20; n++) ids.push(await jobs.begin({ ...router, subject: { ...router.subject, id: `r${n}` } }))
  await due(600)
  // an older server that checks for unknown jobs
  const old = { 'compute.server.start': { run: async () => null } }
  await jobs.serve(old, { replica: 'old', unknownNameMs: 20, times: { every: 20 } })
  expect(await unknown(['compute.server.start'])).toEqual([])
  let [ran, cleaned] = [0, 0]
  await jobs.serve(
    { [router.name]: { run: async () => void ran++, onFailure: async () => void cleaned++ } },
    { replica: 'new' },
  )
  for (const id of ids) expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  expect([ran, cleaned]).toEqual([20, 0])
})

test('an unknown job waits for a server that knows it until ten minutes after it was due', async () => {
  await jobs.begin(router)
  await due(9)
  expect(await unknown([])).toEqual([])
  await due(11)
  expect(await unknown([])).toMatchObject([{ name: router.name }])
})

test('an unknown job then fails, blocks no others, and is cleaned up by the next server that knows it', async () => {
  const id = await jobs.begin(router)
  const next = await jobs.begin({ ...router, name: 'compute.router.delete' })
  const old = { 'compute.router.delete': { run: async () => 'deleted' } }
  const before = await jobs.serve(old, { replica: 'old', unknownNameMs: 50, times: { every: 20 } })
  expect(await jobs.over(id)).toMatchObject({
    state: 'failed',
    error: 'No server can run "compute.router.create"',
  })
  expect(await jobs.over(next)).toMatchObject({ result: 'deleted' })
  await before.close()
  const seen: string[] = []
  await jobs.serve(
    {
      [router.name]: {
        run: async () => void seen.push('run'),
        onFailure: async (_, error) => void seen.push((error as Error).message),
      },
    },
    { replica: 'new' },
  )
  await jobs.until(async () => (await jobs.sql('select from job')).length === 0)
  expect(seen).toEqual(['No server can run "compute.router.create"'])
  expect(await jobs.view(id)).toMatchObject({ state: 'failed' })
})
