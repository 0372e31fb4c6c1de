import { GiB } from '@mainstay/contract/core/bytes'
import { page } from '@mainstay/contract/core/lists/paging'
import { BackupEstimate, backupEstimates } from '@mainstay/contract/protection/backup-estimate'
import { BackupPlan, backupPlans, MAX_PLAN_VOLUMES } from '@mainstay/contract/protection/backup-plans'
import { nextRuns } from '@mainstay/contract/protection/schedules'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { tasks } from '@mainstay/contract/core/tasks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { writeRecoveryPoint } from '../../testing/storage/recovery-point'
import { startServer, type TestServer } from '../../testing/start-server'
import { runningPlan } from './run-plan'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let number = 0
async function volume(name = `disk-${++number}`): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await vi.waitFor(
    async () => expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available'),
    5_000,
  )
  return id
}
type Draft = NonNullable<Parameters<typeof server.call<typeof backupPlans.create>>[1]>['body']
const create = (change: Partial<NonNullable<Draft>> = {}) =>
  server.call(backupPlans.create, { as, body: { name: `plan-${++number}`, schedule: { hour: '2' }, ...change } })
const view = (id: string) => server.call(backupPlans.view, { as, params: { id } })
const add = (id: string, ids: string[], move = false) =>
  server.call(backupPlans.addVolumes, { as, params: { id }, body: { ids, move } })
/** Waits until a plan is not running and has this number of runs. */
const hasRun = (id: string, times = 1) =>
  vi.waitFor(async () => {
    const runs = await server.call(backupPlans.runs, { as, params: { id } })
    expect(runs.filter(({ ended_at }) => ended_at !== null)).toHaveLength(times)
    return runs
  }, 20_000)
const pointsOf = async (id: string) =>
  (await server.call(volumeBackups.list, { as, query: { backup_plan_id: id, sort: 'taken_at:asc' } })).data
/** Lets the planned time of a plan pass, and starts what is due. */
async function letTimePass(id: string): Promise<void> {
  // the job ends a moment after the run; until then the scheduler puts the next one off
  await vi.waitFor(async () =>
    expect(await server.sql.query("select from job where subject ->> 'id' = $1", [id])).toEqual([]),
  )
  await server.sql.query("update schedule set next_at = now() - interval '1 second' where id = $1", [id])
  await server.tools.scheduler.look()
}

it('creates, lists, reads, updates and deletes backup plans [CA-050] [CA-051] [CA-052] [CA-053] [CA-054] [EN-018]', async () => {
  const schedule = { month: '1,7', day_of_week: '0,6', day: '*', hour: '22,2' }
  const response = await server.fetch(backupPlans.create, {
    as,
    body: {
      ...{ name: 'nightly', description: 'Databases', schedule: { ...schedule, minute: '0', week: '*' } },
      ...{ properties: { recovery_points_rotation: 14 }, disabled: false },
    },
  })
  expect(response.status).toBe(201)
  const made = BackupPlan.parse(await response.json())
  expect(made).toMatchObject({
    ...{ name: 'nightly', description: 'Databases', disabled: false, status: 'No volumes', volumes_count: 0 },
    schedule: { ...schedule, hour: '2,22', recovery_points_rotation: 14 },
    properties: { recovery_points_rotation: 14 },
    ...{ next_run: null, last_run: null },
  })
  const list = await server.call(backupPlans.list, { as, query: { name: 'nightly', status: 'No volumes' } })
  expect(page(BackupPlan).parse(list)).toEqual(list)
  expect(list.data).toEqual([made])
  expect(await view(made.id)).toEqual(made)

  const patch = (body: object) => server.call(backupPlans.update, { as, params: { id: made.id }, body })
  expect(await patch({ disabled: true })).toMatchObject({ disabled: true, status: 'Disabled', name: 'nightly' })
  const weekly = { month: '*', day_of_week: '5', day: '*', hour: '3', recovery_points_rotation: 4 }
  expect(await patch({ name: 'weekly', schedule: weekly, disabled: false })).toMatchObject({
    ...{ name: 'weekly', schedule: weekly, properties: { recovery_points_rotation: 4 } },
  })
  const put = await server.fetch(
    { ...backupPlans.update, verb: 'PUT' } as never,
    {
      ...{ as, params: { id: made.id }, body: { description: 'Put' } },
    } as never,
  )
  expect([put.status, (await view(made.id)).description]).toEqual([200, 'Put'])

  expect((await server.fetch(backupPlans.delete, { as, params: { id: made.id } })).status).toBe(204)
  expect((await server.fetch(backupPlans.view, { as, params: { id: made.id } })).status).toBe(404)
})

it('adds and removes volumes, each of which has one plan [CA-055] [CA-056]', async () => {
  const [first, second, third] = [await volume(), await volume('second'), await volume()]
  const [plan, other] = [await create({ name: 'one' }), await create({ name: 'two' })]
  expect(await add(plan.id, [first, second])).toMatchObject({ volume_ids: [first, second], status: 'Scheduled' })
  const { next_run, schedule } = await view(plan.id)
  expect(next_run).toBe(nextRuns(schedule, new Date(), 1)[0]!.toISOString())
  const inPlan = await server.call(volumes.list, { as, query: { backup_plan_id: plan.id, sort: 'name:asc' } })
  expect(inPlan.data.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted())

  await expect(add(other.id, [third, second])).rejects.toMatchObject({
    fields: { ids: ['The volume “second” is already in the backup plan “one”'] },
  })
  expect((await view(other.id)).volume_ids).toEqual([])
  expect(await add(other.id, [third, second], true)).toMatchObject({ volume_ids: [third, second], volumes_count: 2 })
  expect((await view(plan.id)).volume_ids).toEqual([first])
  await expect(add(plan.id, ['no-such-volume'])).rejects.toMatchObject({ fields: { ids: [expect.any(String)] } })
  const many = Array.from({ length: MAX_PLAN_VOLUMES + 1 }, (_, index) => `volume-${index}`)
  await expect(add(plan.id, many)).rejects.toMatchObject({ code: 'validation' })

  const remove = (ids: string[]) =>
    server.call(backupPlans.removeVolumes, { as, params: { id: other.id }, body: { ids } })
  expect(await remove([second])).toMatchObject({ volume_ids: [third] })
  expect(await remove([second, third])).toMatchObject({ volume_ids: [], status: 'No volumes', next_run: null })
  expect((await server.call(volumes.list, { as, query: { backup_plan_id: other.id } })).data).toEqual([])
  const coverage = await server.call(backupPlans.coverage, { as })
  expect(coverage.volumes.protected).toBe(1)
  expect(coverage.unprotected.map(({ id }) => id)).toEqual(expect.arrayContaining([second, third]))
  expect(coverage.volumes.total).toBe(coverage.unprotected.length + 1)
})

it('names the field of a fault, and does not find plans of other projects', async () => {
  await create({ name: 'taken' })
  await expect(create({ name: 'taken' })).rejects.toMatchObject({
    ...{ code: 'plan_name_duplicate', fields: { name: [expect.stringContaining('taken')] } },
  })
  await expect(create({ schedule: { hour: '24' } })).rejects.toMatchObject({
    fields: { 'schedule.hour': [expect.any(String)] },
  })
  await expect(create({ name: 'manual-copies' })).rejects.toMatchObject({ fields: { name: [expect.any(String)] } })
  const rotation = { recovery_points_rotation: 101 }
  await expect(create({ properties: rotation })).rejects.toMatchObject({ code: 'validation' })
  const plan = await create()
  const params = { id: plan.id }
  const disk = await volume()
  for (const attempt of [
    () => server.call(backupPlans.view, { as: 'other-member', params }),
    () => server.call(backupPlans.update, { as: 'other-member', params, body: { disabled: true } }),
    () => server.call(backupPlans.addVolumes, { as: 'other-member', params, body: { ids: [disk] } }),
    () => server.call(backupPlans.run, { as: 'other-member', params }),
    () => server.call(backupPlans.runs, { as: 'other-member', params }),
    () => server.call(backupPlans.delete, { as: 'other-member', params }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  expect((await server.call(volumes.list, { as: 'other-member', query: { backup_plan_id: plan.id } })).data).toEqual([])
  await expect(server.call(backupPlans.run, { as, params })).rejects.toMatchObject({ code: 'invalid_state' })
})

it('accepts numbers and lists in a schedule, as clients send them', async () => {
  const schedule = { minute: 0, hour: 2, day: [1, 15], day_of_week: '*', week: null, month: '*', interval: null }
  expect((await create({ schedule: schedule as never })).schedule).toMatchObject({
    ...{ minute: '0', hour: '2', day: '1,15', week: '*' },
  })
})

it('creates recovery points at its times, and keeps as many as it says', async () => {
  const disk = await volume('rotated')
  const plan = await create({ properties: { recovery_points_rotation: 1 } })
  await add(plan.id, [disk])
  await letTimePass(plan.id)
  const [run] = await hasRun(plan.id)
  expect(run).toMatchObject({ scheduled: true, created: 1, failures: [], error: null })
  const [first] = await pointsOf(plan.id)
  expect(first).toMatchObject({ volume_id: disk, backup_plan_name: plan.name, is_incremental: false })
  expect(await view(plan.id)).toMatchObject({ status: 'Scheduled', last_run: { created: 1 } })

  // the second becomes complete, so that the first is no longer needed
  await letTimePass(plan.id)
  await hasRun(plan.id, 2)
  await vi.waitFor(async () => {
    const points = await pointsOf(plan.id)
    expect(points.map(({ is_incremental, parent_id }) => [is_incremental, parent_id])).toEqual([[false, null]])
    expect(points[0]!.id).not.toBe(first!.id)
  }, 10_000)
})

it('runs now, and does not remove what such a run created', async () => {
  const disk = await volume('by-hand')
  const plan = await create({ properties: { recovery_points_rotation: 1 } })
  await add(plan.id, [disk])
  expect((await server.fetch(backupPlans.run, { as, params: { id: plan.id } })).status).toBe(202)
  const [run] = await hasRun(plan.id)
  expect(run).toMatchObject({ scheduled: false, created: 1 })
  expect((await pointsOf(plan.id)).map(({ name }) => name)).toEqual([expect.stringMatching(/^manual-/)])
})

it('does not run a second time if its server ends before the task is recorded as complete', async () => {
  const plan = await create()
  await add(plan.id, [await volume()])
  await server.call(backupPlans.run, { as, params: { id: plan.id } })
  const runs = await hasRun(plan.id)
  const { data } = await server.call(tasks.list, { as, query: { name: runningPlan.name } })
  const { task_id } = data.find(({ args: [subject] }) => (subject as { id?: string } | undefined)?.id === plan.id)!
  // the server that takes over starts the job again
  const again = { task_id, args: { plan: plan.id, scheduled: false }, state: {}, signal: new AbortController().signal }
  expect(await runningPlan.run(again as never, server.tools)).toBeNull()
  expect(await hasRun(plan.id)).toEqual(runs)
  expect(await pointsOf(plan.id)).toHaveLength(1)
})

it('says why a volume has no recovery point, and goes on with the others', async () => {
  const [good, bad] = [await volume('good'), await volume('bad')]
  const plan = await create()
  await add(plan.id, [good, bad])
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    const row = await records.lock('volume', bad)
    await records.put('volume', { ...row!, status: 'error' })
  })
  await letTimePass(plan.id)
  const [run] = await hasRun(plan.id)
  expect(run).toMatchObject({
    ...{ created: 1, failures: [{ volume_id: bad, volume_name: 'bad', reason: expect.stringContaining('error') }] },
  })
  expect(await view(plan.id)).toMatchObject({ status: 'Error' })
})

it('does not run while it is disabled or has no volumes', async () => {
  const plan = await create({ disabled: true })
  await add(plan.id, [await volume()])
  expect(await server.sql.query('select 1 from schedule where id = $1', [plan.id])).toEqual([])
  await server.call(backupPlans.update, { as, params: { id: plan.id }, body: { disabled: false } })
  expect(await server.sql.query('select 1 from schedule where id = $1', [plan.id])).toHaveLength(1)
  await server.call(backupPlans.delete, { as, params: { id: plan.id } })
  expect(await server.sql.query('select 1 from schedule where id = $1', [plan.id])).toEqual([])
})

it('no longer contains a volume that was deleted, but keeps one that is in the recycle bin', async () => {
  const [kept, recycled, deleted] = [await volume(), await volume(), await volume()]
  const plan = await create()
  await add(plan.id, [kept, recycled, deleted])
  await server.call(volumes.delete, { as, params: { id: recycled }, query: {} })
  await server.call(volumes.delete, { as, params: { id: deleted }, query: { permanent: 'true' } })
  await vi.waitFor(async () =>
    expect((await server.fetch(volumes.view, { as, params: { id: deleted } })).status).toBe(404),
  )
  await letTimePass(plan.id)
  expect(await hasRun(plan.id)).toMatchObject([{ created: 1, failures: [] }])
  expect((await view(plan.id)).volume_ids).toEqual([kept, recycled])
})

it('estimates the space of the recovery points from those that exist, and says for how many volumes it can', async () => {
  const [steady, fresh, unknown] = [await volume(), await volume(), await volume()]
  const point = (
    volume_id: string,
    day: number,
    stored_size: number | null,
    is_incremental: boolean,
    status = 'available',
  ) =>
    writeRecoveryPoint(server, {
      ...{ volume_id, stored_size, is_incremental, status, taken_at: new Date(Date.UTC(2026, 9, day)).toISOString() },
    })
  await point(steady, 1, 500, false)
  await point(steady, 9, 600, false)
  // one busy day does not spoil the estimate; a recovery point that failed tells nothing
  for (const [index, size] of [10, 900, 20].entries()) await point(steady, 10 + index, size, true)
  await point(steady, 20, 7777, true, 'error')
  await point(fresh, 1, 300, false)
  await point(unknown, 1, null, false)

  const estimate = (ids: string[], recovery_points_rotation?: number) =>
    server.call(backupEstimates.estimate, {
      as,
      body: { ids, ...(recovery_points_rotation && { recovery_points_rotation }) },
    })
  const result = await estimate([steady, fresh, unknown, steady], 10)
  expect(BackupEstimate.parse(result)).toEqual(result)
  // of ten recovery points, the first and the ninth are full
  expect(result).toEqual({
    ...{ volumes: 3, measured: 1, full_points: 2, full_size: 600, increment_size: 20 },
    ...{ estimated_size: 2 * 600 + 8 * 20, stored_size: 500 + 600 + 10 + 900 + 20 + 300 },
  })
  // no increment is needed for a single one
  expect(await estimate([steady, fresh], 1)).toMatchObject({ measured: 2, increment_size: null, estimated_size: 900 })
  const nothing = { measured: 0, full_size: null, increment_size: null, estimated_size: null }
  expect(await estimate([unknown])).toMatchObject({ volumes: 1, ...nothing })
  const strange = await server.call(backupEstimates.estimate, { as: 'other-member', body: { ids: [steady] } })
  expect(strange).toMatchObject({ volumes: 0, stored_size: 0, ...nothing })
  await expect(estimate([steady], 101)).rejects.toMatchObject({ code: 'validation' })
})
