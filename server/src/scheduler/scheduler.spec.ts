import type { JobStart } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openJobServers, me, type JobServers } from '../testing/job-servers'
import { silentLogger } from '../testing/silent-logger'
import { createScheduler } from './scheduler'
import type { Plan, Planned, Schedule, Scheduler } from './types'

let servers: JobServers
const open: Scheduler[] = []
beforeAll(async () => {
  servers = await openJobServers()
})
afterEach(async () => {
  for (const scheduler of open.splice(0)) await scheduler.close()
  await servers.clear()
  await servers.sql('delete from schedule')
})
afterAll(() => servers.close())

const backup: Schedule<{ disk: string }> = {
  name: 'backup',
  job: { name: 'backup.make', args: z.strictObject({ disk: z.string() }) },
}
const hourly: Plan = { cron: '0 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' }
const planned = (id: string, more: Partial<Planned<{ disk: string }>> = {}): Planned<{ disk: string }> => ({
  ...{ id, ...hourly, subject: { kind: 'plan', id, name: id }, args: { disk: 'vda' }, scope: me },
  ...more,
})

/** Creates a server's scheduler without starting it. */
function scheduler(schedules: readonly Schedule[] = [backup], at = servers.fixture, atOnce?: number): Scheduler {
  const made = createScheduler({ db: at.store.db, inventory: at.inventory, log: silentLogger, schedules, atOnce })
  open.push(made)
  return made
}
const put = (it: Scheduler, plan: Planned<{ disk: string }>) =>
  servers.fixture.inventory.transaction((_, db) => it.put(db, backup, plan))
const overdue = (seconds: number, ids: readonly string[] | null = null) =>
  servers.sql(
    'update schedule set next_at = now() - make_interval(secs => $1) where $2::text[] is null or id = any($2)',
    [seconds, ids],
  )
const begun = async () =>
  (
    await servers.sql<{ id: string }>("select subject ->> 'id' as id from job where name = 'backup.make' order by 1")
  ).map(({ id }) => id)
const nextSeconds = async (it: Scheduler, id: string) => ((await it.next(backup, id))!.getTime() - Date.now()) / 1000

test('starts a plan’s job once when it is due, and plans the next run', async () => {
  const one = scheduler()
  await put(one, planned('a'))
  await one.look()
  expect(await begun()).toEqual([])
  await overdue(1)
  await one.look()
  await one.look()
  expect(await begun()).toEqual(['a'])
  expect(await nextSeconds(one, 'a')).toBeGreaterThan(0)
  expect(await nextSeconds(one, 'a')).toBeLessThanOrEqual(3601)
  const done: unknown[] = []
  await servers.serve({
    'backup.make': { run: async ({ args, scope }) => void done.push({ args, project: scope.project_id }) },
  })
  await servers.until(() => done.length > 0)
  expect(done).toEqual([{ args: { disk: 'vda' }, project: 'p1' }])
})

test('starts each run once, even if several servers call look() at the same time', async () => {
  const other = await servers.fixture.another()
  const all = [scheduler(), scheduler([backup], { ...servers.fixture, ...other }), scheduler(), scheduler()]
  const ids = Array.from({ length: 40 }, (_, at) => `plan-${String(at).padStart(2, '0')}`)
  for (const id of ids) await put(all[0]!, planned(id))
  await overdue(1)
  await Promise.all(all.flatMap((it) => [it.look(), it.look()]))
  await Promise.all(all.map((it) => it.look()))
  expect(await begun()).toEqual(ids)
})

test('look() starts all due runs, and replans runs that were planned before the clock was set back', async () => {
  const one = scheduler([backup], servers.fixture, 3)
  const ids = Array.from({ length: 8 }, (_, at) => `plan-${at}`)
  for (const id of ids) await put(one, planned(id, { missed: 'skip' }))
  await put(one, planned('later'))
  await servers.sql("update schedule set reckoned_at = now() + interval '3 days' where id = 'later'")
  // all runs are on time: the duration of earlier runs does not count as a delay
  await overdue(50, ids)
  await one.look()
  expect(await begun()).toEqual(ids)
  expect(await servers.sql('select from schedule where next_at <= now() or reckoned_at > now()')).toEqual([])
})

test('a run that fails halfway starts later, once: its job and next time are written together', async () => {
  const one = scheduler()
  await put(one, planned('a'))
  await put(one, planned('b'))
  await overdue(2)
  await servers.sql(`create function refuse_move() returns trigger language plpgsql as
    $$ begin if new.began_at is not null and new.id = 'a' then raise exception 'cut off'; end if; return new; end $$`)
  await servers.sql('create trigger cut_off before update on schedule for each row execute function refuse_move()')
  await one.look()
  // the other plan is not affected
  expect(await begun()).toEqual(['b'])
  await servers.sql('drop trigger cut_off on schedule')
  await servers.sql('drop function refuse_move')
  await overdue(1, ['a'])
  await one.look()
  expect(await begun()).toEqual(['a', 'b'])
})

test('a server cut off before the commit writes neither job nor next time; another server writes both', async () => {
  const other = await servers.fixture.another()
  const dying = scheduler([backup], { ...servers.fixture, ...other })
  await put(dying, planned('a'))
  await overdue(1)
  // a lock blocks updates to the plan, so that the dying server waits after it has inserted the job
  await servers.sql(`create function wait_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`)
  await servers.sql('create trigger wait_here before update on schedule for each row execute function wait_here()')
  const client = await servers.fixture.store.pool.connect()
  await client.query('select pg_advisory_lock(4711)')
  const looking = dying.look()
  const waiting = () =>
    servers.sql<{ pid: number }>(
      "select pid from pg_locks where locktype = 'advisory' and objid = 4711 and not granted",
    )
  await servers.until(async () => (await waiting()).length > 0)
  expect(await begun()).toEqual([])
  for (const { pid } of await waiting()) await servers.sql('select pg_terminate_backend($1)', [pid])
  await client.query('select pg_advisory_unlock(4711)')
  client.release()
  await looking
  await servers.sql('drop trigger wait_here on schedule')
  await servers.sql('drop function wait_here')
  expect(await begun()).toEqual([])
  await overdue(1)
  await scheduler().look()
  expect(await begun()).toEqual(['a'])
})

test('starts one run for all missed runs or skips them, depending on the plan', async () => {
  const one = scheduler()
  await put(one, planned('once'))
  await put(one, planned('skip', { missed: 'skip' }))
  await overdue(50 * 3600)
  await one.look()
  await one.look()
  expect(await begun()).toEqual(['once'])
  expect(await nextSeconds(one, 'skip')).toBeGreaterThan(0)
  // slightly late does not count as missed
  await overdue(20, ['skip'])
  await one.look()
  expect(await begun()).toEqual(['once', 'skip'])
})

test('a run that is due while the previous one is active waits or is skipped, but never runs in parallel', async () => {
  const one = scheduler()
  await put(one, planned('once'))
  await put(one, planned('skip', { missed: 'skip' }))
  await overdue(1)
  await one.look()
  await overdue(1)
  await one.look()
  expect(await begun()).toEqual(['once', 'skip'])
  expect(await nextSeconds(one, 'once')).toBeLessThan(60)
  // the next run is on the hour
  expect((await one.next(backup, 'skip'))!.getTime() % 3600_000).toBe(0)
  await servers.sql('delete from job')
  await overdue(1, ['once'])
  await one.look()
  expect(await begun()).toEqual(['once'])
})

test('recovers from a clock that was set back by days, and starts nothing early', async () => {
  const one = scheduler()
  await put(one, planned('a'))
  // the run was planned while the clock was three days ahead
  await servers.sql(
    "update schedule set next_at = now() + interval '3 days', reckoned_at = now() + interval '3 days' where id = 'a'",
  )
  await one.look()
  expect(await begun()).toEqual([])
  expect(await nextSeconds(one, 'a')).toBeLessThanOrEqual(3601)
})

test('reports and retries a plan with invalid times, and runs all other plans', async () => {
  const told: object[] = []
  const log = { ...silentLogger, error: (fields: object) => void told.push(fields) }
  const { store, inventory } = servers.fixture
  const one = createScheduler({ db: store.db, inventory, log, schedules: [backup] })
  await put(one, planned('a'))
  await put(one, planned('b'))
  await servers.sql("update schedule set time_zone = 'Gone/Away' where id = 'a'")
  await overdue(1)
  await one.look()
  await one.look()
  expect(await begun()).toEqual(['b'])
  expect(told).toMatchObject([{ schedule: 'backup', id: 'a' }])
  await one.close()
})

test('updates a plan without delaying its run, replans it if its times change, and removes it', async () => {
  const one = scheduler()
  await put(one, planned('a'))
  await overdue(1)
  await put(one, planned('a', { args: { disk: 'vdb' } }))
  await one.look()
  expect(await servers.sql<JobStart>('select args from job')).toMatchObject([{ args: { disk: 'vdb' } }])
  await overdue(1)
  await put(one, planned('a', { cron: '30 * * * *' }))
  expect(await nextSeconds(one, 'a')).toBeGreaterThan(0)
  await expect(put(one, planned('a', { cron: 'sometimes' }))).rejects.toMatchObject({ code: 'validation' })
  await servers.fixture.inventory.transaction((_, db) => one.remove(db, backup, 'a'))
  expect(await one.next(backup, 'a')).toBe(null)
})

test('spreads plans for the same time over their jitter, and keeps the offset of each plan', async () => {
  const one = scheduler()
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const id of ids) await put(one, planned(id, { jitter_seconds: 3600 }))
  const times = async () => Promise.all(ids.map(async (id) => (await one.next(backup, id))!.getTime()))
  const first = await times()
  expect(new Set(first).size).toBe(ids.length)
  for (const id of ids) await put(one, planned(id, { cron: '0 0 1 1 *', jitter_seconds: 3600 }))
  const later = await times()
  const pastTheHour = (at: number) => at % 3600_000
  expect(later.map(pastTheHour)).toEqual(first.map(pastTheHour))
})

test('runs a schedule with runsAtStart immediately, and plans its next run', async () => {
  const at = (name: string): Schedule => ({ name, job: { name: 'own.work', args: z.strictObject({}) }, plan: hourly })
  const one = scheduler([at('later'), { ...at('at once'), runsAtStart: true }])
  await one.start()
  expect(await servers.sql("select subject ->> 'id' as id from job")).toEqual([{ id: 'at once' }])
  expect((await one.next({ name: 'at once' }, ''))!.getTime()).toBeGreaterThan(Date.now())
})

test('plans and runs internal jobs without showing them as tasks', async () => {
  const own: Schedule = { name: 'own.work', job: { name: 'own.work', args: z.strictObject({}) }, plan: hourly }
  const one = scheduler([own])
  await one.start()
  await overdue(1)
  let runs = 0
  await servers.serve({ 'own.work': { run: async () => ++runs } })
  await one.look()
  await servers.until(async () => runs > 0 && (await servers.sql('select from job')).length === 0)
  expect(await servers.sql("select from resource where kind = 'task' and body ->> 'name' = 'own.work'")).toEqual([])
  // a server that does not know the schedule leaves its plan alone
  await overdue(1)
  await scheduler([backup]).look()
  expect(await servers.sql('select from job')).toEqual([])
  expect(await servers.sql('select next_at <= now() as is_due from schedule')).toEqual([{ is_due: true }])
})
