import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { evaluateAlerts } from '../monitoring/alerts/evaluate'

/* Automatic test restores of backup plans. */

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  // a tested virtual machine still has to run for longer than the 2 s after which a simulated one switches itself off
  server = await startServer({ pace: 4 })
})
afterAll(() => server.close())

async function machine(name: string) {
  const disks = [
    { source: 'blank' as const, size: GiB, boot_index: 0 },
    { source: 'blank' as const, size: GiB },
  ]
  const { id } = await server.call(instances.create, {
    as,
    body: { name, flavor: 's1.nano', networks: [], volumes: disks },
  })
  return vi.waitFor(async () => {
    const row = await server.call(instances.view, { as, params: { id } })
    expect([row.status, row.task_state]).toEqual(['ACTIVE', null])
    return row
  }, 10_000)
}
const view = (id: string) => server.call(backupPlans.view, { as, params: { id } })
/** A plan with all volumes of these virtual machines. */
async function planOf(name: string, machines: Awaited<ReturnType<typeof machine>>[], change: object = {}) {
  const body = { name, schedule: { hour: '2' }, test_restore: 'weekly' as const, ...change }
  const { id } = await server.call(backupPlans.create, { as, body })
  const ids = machines.flatMap(({ volumes }) => volumes.map((volume) => volume.id))
  return server.call(backupPlans.addVolumes, { as, params: { id }, body: { ids } })
}
/** Lets the planned time of a plan pass, and waits until its run has ended. */
async function run({ id }: Pick<BackupPlan, 'id'>): Promise<BackupPlan> {
  const before = (await view(id)).last_run?.started_at
  // the job ends a moment after the run; until then the scheduler puts the next one off
  await vi.waitFor(async () =>
    expect(await server.sql.query("select from job where subject ->> 'id' = $1", [id])).toEqual([]),
  )
  await server.sql.query("update schedule set next_at = now() - interval '1 second' where id = $1", [id])
  await server.tools.scheduler.look()
  return vi.waitFor(async () => {
    const plan = await view(id)
    expect(plan.last_run?.started_at).not.toBe(before)
    expect(plan.last_run?.ended_at).toEqual(expect.any(String))
    return plan
  }, 30_000)
}
const hasTested = ({ id }: Pick<BackupPlan, 'id'>) =>
  vi.waitFor(async () => {
    const plan = await view(id)
    expect(['running', undefined]).not.toContain(plan.last_test?.result)
    return plan
  }, 60_000)
const testsOf = async (name: string) =>
  (await server.call(tasks.list, { as, query: { name: 'exact:backup.test_restore', limit: 200 } })).data.filter(
    (task) => JSON.stringify(task).includes(name),
  )
/** Lets weeks pass since the tests of a plan. */
const letWeeksPass = ({ id }: Pick<BackupPlan, 'id'>) =>
  server.sql.query(
    `update private_record set data = jsonb_set(data, '{tested}', (
       select jsonb_object_agg(key, to_char(value::timestamptz - interval '3 weeks', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       from jsonb_each_text(data -> 'tested')))
     where kind = 'backup_plan' and id = $1`,
    [id],
  )

it('tests one virtual machine a week after a scheduled run, the one whose last test is oldest', async () => {
  const machines = [await machine('first'), await machine('second')]
  const plan = await planOf('tested', machines)
  expect(plan).toMatchObject({ test_restore: 'weekly', last_test: null })
  await run(plan)
  const first = (await hasTested(plan)).last_test!
  expect(first).toMatchObject({ result: 'confirmed', reason: null, server_id: machines[0]!.id, server_name: 'first' })
  const { data } = await server.call(volumeBackups.list, { as, query: { server_id: first.server_id! } })
  expect(data.map(({ restore_test }) => restore_test?.result)).toEqual(['confirmed', 'confirmed'])
  expect(await testsOf('tested')).toHaveLength(1)
  expect((await view(plan.id)).status).toBe('Scheduled')

  // not again within the week, and not after a run that a user started
  await run(plan)
  await letWeeksPass(plan)
  await server.call(backupPlans.run, { as, params: { id: plan.id } })
  await vi.waitFor(
    async () => expect((await view(plan.id)).last_run).toMatchObject({ scheduled: false, created: 4 }),
    20_000,
  )
  expect((await view(plan.id)).last_test).toEqual(first)

  // missed weeks are made up for once, with the other virtual machine
  await run(plan)
  const second = (await hasTested(plan)).last_test!
  expect(second).toMatchObject({ result: 'confirmed', server_id: machines[1]!.id })
  await run(plan)
  expect((await view(plan.id)).last_test).toEqual(second)
  expect(await testsOf('tested')).toHaveLength(2)

  await letWeeksPass(plan)
  await server.call(backupPlans.update, { as, params: { id: plan.id }, body: { test_restore: 'never' } })
  await run(plan)
  expect(await view(plan.id)).toMatchObject({ test_restore: 'never', last_test: second })
}, 180_000)

it(
  'records why it could not test, without an error, and tries again after the next run',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const one = await machine('large')
    const plan = await planOf('limited', [one])
    const project = server.cast.projects['alpha-one']!.id
    const limit = (count: number) =>
      server.call(quotas.set, {
        as: 'superuser',
        params: { id: project },
        body: { compute: { instances: { limit: count } } },
      })
    await limit(1)
    const { last_test, last_run } = await run(plan)
    expect(last_run).toMatchObject({ created: 2, failures: [], error: null })
    expect(last_test).toMatchObject({ result: 'skipped', server_name: 'large', point_id: null })
    expect(last_test!.reason).toMatch(/quota|limit/i)
    expect((await view(plan.id)).status).toBe('Scheduled')
    expect(await testsOf('limited')).toEqual([])
    await limit(-1)
    await run(plan)
    expect((await hasTested(plan)).last_test).toMatchObject({ result: 'confirmed' })

    // a volume without a virtual machine cannot be tested
    const [, data] = one.volumes
    const other = await server.call(backupPlans.create, {
      as,
      body: { name: 'data-only', schedule: { hour: '2' }, test_restore: 'weekly' },
    })
    await server.call(backupPlans.addVolumes, { as, params: { id: other.id }, body: { ids: [data!.id], move: true } })
    await run(other)
    expect((await hasTested(other)).last_test).toMatchObject({
      ...{ result: 'skipped', server_id: null, reason: expect.stringContaining('boot volume') as string },
    })
  },
)

it(
  'raises the alert of failed backups with the reason if a test fails',
  { tags: 'all', timeout: 120_000 },
  async () => {
    // the virtual machine of the test has the name of the plan in its own
    const plan = await planOf('fault-agent-fault-poweroff', [await machine('unlucky')])
    await run(plan)
    const reason = 'The virtual machine stopped soon after it was started'
    expect(await hasTested(plan)).toMatchObject({ status: 'Error', last_test: { result: 'failed', reason } })
    await evaluateAlerts(server.tools)
    const raised = async () =>
      (await server.call(alerts.list, { as: 'superuser', query: { type: 'backup_failed', state: 'raised' } })).data
    expect(await raised()).toMatchObject([{ object_id: plan.id, details: reason }])
    await server.call(backupPlans.update, { as, params: { id: plan.id }, body: { test_restore: 'never' } })
    expect((await view(plan.id)).status).toBe('Scheduled')
    await evaluateAlerts(server.tools)
    expect(await raised()).toEqual([])
  },
)

it('does not test unless the plan says so, and names a wrong value', async () => {
  const plan = await planOf('untested', [await machine('plain')], { test_restore: undefined })
  expect(plan.test_restore).toBe('never')
  await run(plan)
  expect((await view(plan.id)).last_test).toBeNull()
  const daily = { test_restore: 'daily' } as never
  await expect(server.call(backupPlans.update, { as, params: { id: plan.id }, body: daily })).rejects.toMatchObject({
    fields: { test_restore: [expect.any(String)] },
  })
}, 60_000)
