import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openJobServers, type JobServers } from '../testing/job-servers'
import { databaseClock } from './clock'

const HOUR = 3_600_000
let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await jobs.clear()
})
afterAll(() => jobs.close())

/** Changes this server's clock, as an operator or a time service would. The database's clock stays correct. */
function setClock(by: number): void {
  const right = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => right() + by)
}

describe.each([
  ['forwards', HOUR],
  ['back', -HOUR],
])('a clock that jumps an hour %s', (_, by) => {
  test('neither loses nor repeats running or waiting jobs', async () => {
    const runs: string[] = []
    let goOn = () => {}
    const going = new Promise<void>((resolve) => (goOn = resolve))
    const handlers = {
      work: { run: async () => (runs.push('work'), await going) },
      wait: { run: async () => (runs.push('wait'), runs.length > 4 ? null : { again: 50 }) },
    }
    const times = { every: 20, lost: 20_000 }
    await jobs.serve(handlers, { replica: 'one', times })
    await jobs.serve(handlers, { replica: 'two', times })
    const subject = (id: string) => ({ kind: 'server', id, name: '' })
    const working = await jobs.begin({ subject: subject('a') })
    await jobs.until(() => runs.includes('work'))
    setClock(by)
    const waiting = await jobs.begin({ name: 'wait', subject: subject('b') })
    expect(await jobs.over(waiting)).toMatchObject({ state: 'success' })
    goOn()
    expect(await jobs.over(working)).toMatchObject({ state: 'success' })
    expect(runs.filter((run) => run === 'work')).toHaveLength(1)
  })

  test('neither loses a lease nor lets another server take it', async () => {
    const lease = (await jobs.fixture.store.lease('feed', 3))!
    const end = async () => (await jobs.sql<{ until: Date }>('select until from lease'))[0]!.until.getTime()
    setClock(by)
    const first = await end()
    await jobs.until(async () => (await end()) > first)
    expect(await jobs.fixture.store.lease('feed', 3)).toBeNull()
    expect(lease.signal.aborted).toBe(false)
    await lease.release()
  })

  test("is noticed immediately when reading the database's clock", async () => {
    const ahead = databaseClock(jobs.fixture.store.db)
    expect(Math.abs(await ahead())).toBeLessThan(30_000)
    setClock(by)
    expect(Math.abs((await ahead()) + by)).toBeLessThan(30_000)
  })
})

test('a lease is lost on time if its renewal hangs', async () => {
  const lease = (await jobs.fixture.store.lease('feed', 1))!
  const holder = await jobs.fixture.store.pool.connect()
  await holder.query('begin')
  await holder.query("select from lease where name = 'feed' for update")
  await jobs.until(() => lease.signal.aborted)
  await holder.query('rollback')
  holder.release()
})

describe('a database whose clock was set back an hour', () => {
  test('does not block the lease of a dead server', async () => {
    await jobs.sql("insert into lease values ('old', 'dead', now() + interval '1 h')")
    const lease = await jobs.fixture.store.lease('old', 15)
    expect(lease).not.toBeNull()
    await lease!.release()
  })

  test('does not block waiting jobs or the jobs of a dead server', async () => {
    const waiting = await jobs.begin()
    const lost = await jobs.begin({ subject: { kind: 'server', id: 's2', name: '' } })
    await jobs.sql("update job set not_before = now() + interval '1 h' where id = $1", [waiting])
    await jobs.sql("update job set owner = 'dead', lease_until = now() + interval '1 h' where id = $1", [lost])
    await jobs.serve({ work: { run: async () => null } })
    await jobs.over(waiting)
    await jobs.over(lost)
  })
})
