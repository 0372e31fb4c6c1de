import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bulkRuns, type BulkRunDraft } from '@mainstay/contract/core/bulk-runs'
import type { BodyInputOf } from '@mainstay/contract/core/endpoint'
import { GiB } from '@mainstay/contract/core/bytes'
import { Problem } from '@mainstay/contract/core/problems'
import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { instances } from '@mainstay/contract/compute/instances'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { testDatabase } from '../../testing/postgres/postgres'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let token: string
const as = () => ({ token })
beforeAll(async () => {
  server = await startServer()
  token = await server.signIn('project-member')
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => server.close())

const eventually = <Result>(look: () => Promise<Result>) => vi.waitFor(look, { timeout: 20_000, interval: 50 })

async function disks(name: string, count: number, who: PersonaName | { token: string } = as()): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++)
    ids.push((await server.call(volumes.create, { as: who, body: { name: `${name}-${index}`, size: GiB } })).id)
  for (const id of ids)
    await eventually(async () =>
      expect((await server.call(volumes.view, { as: who, params: { id } })).status).toBe('available'),
    )
  return ids
}
const begin = (body: BulkRunDraft, who: PersonaName | { token: string } = as()) =>
  server.call(bulkRuns.create, { as: who, body })
const check = (body: BulkRunDraft, who: PersonaName | { token: string } = as()) =>
  server.call(bulkRuns.check, { as: who, body })
const objectsOf = async (id: string, who: PersonaName | { token: string } = as()) =>
  (await server.call(bulkRuns.objects, { as: who, params: { id } })).data
const taskOf = (task_id: string) =>
  eventually(async () => {
    const task = await server.call(tasks.view, { as: 'superuser', params: { id: task_id } })
    expect(taskIsOver(task.state)).toBe(true)
    return task
  })
function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { open, passed }
}
const deleting = (ids: string[]): BulkRunDraft => ({
  ...{ kind: 'volume', action: 'delete', ids },
  // permanent deletion starts a task for each volume
  query: { permanent: 'true' },
})
const volumePort = () => server.tools.ports.storage.volumes

it('processes many objects in one task and lists the result and tasks of each object', async () => {
  const ids = await disks('many', 7)
  const run = await begin(deleting(ids))
  expect(run).toMatchObject({ kind: 'volume', action: 'delete', count: 7 })
  const task = await taskOf(run.task_id)
  expect(task).toMatchObject({
    ...{ name: 'bulk.run', state: 'success', progress: 100, result: { done: 7 } },
    kwargs: { kind: 'volume', action: 'delete', count: 7 },
    args: [{ kind: 'bulk_run', id: run.id, name: '7 objects' }],
    user_id: server.cast.people['project-member'].user.id,
  })
  const states = { waiting: 0, running: 0, done: 7, failed: 0, cancelled: 0 }
  expect((await server.call(bulkRuns.view, { as: as(), params: { id: run.id } })).states).toEqual(states)
  const objects = await objectsOf(run.id)
  expect(objects.map(({ id, name, state }) => [id, name, state])).toEqual(
    ids.map((id, index) => [id, `many-${index}`, 'done']),
  )
  const { data } = await server.call(tasks.find, {
    as: as(),
    body: { task_ids: objects.flatMap(({ task_ids }) => task_ids) },
  })
  expect(data.map(({ name, flow }) => [name, flow])).toEqual(ids.map(() => ['compute.volume.delete', run.task_id]))
})

it('lists the tasks that a run starts as its subtasks', async () => {
  const run = await begin(deleting(await disks('parts', 3)))
  expect((await taskOf(run.task_id)).steps).toMatchObject([{ name: 'objects', state: 'done' }])
  for (const query of [{ parent_id: run.task_id }, { flow: run.task_id }]) {
    const { data } = await server.call(tasks.list, { as: as(), query })
    expect(data.map(({ name, parent_id }) => [name, parent_id])).toEqual(
      Array.from({ length: 3 }, () => ['compute.volume.delete', run.task_id]),
    )
  }
})

it('starts no further calls while a run is paused', { tags: 'all' }, async () => {
  // more than `BULK_UNDER_WAY`, so that some objects are still waiting
  const ids = await disks('paused', 24)
  const [begun, asked] = [gate(), gate()]
  const real = volumePort().delete.bind(volumePort())
  const called = vi.spyOn(volumePort(), 'delete').mockImplementation(async (...given) => {
    begun.open()
    await asked.passed
    return real(...given)
  })
  const run = await begin(deleting(ids))
  await begun.passed
  await server.call(tasks.pause, { as: as(), params: { id: run.task_id } })
  asked.open()
  const task = () => server.call(tasks.view, { as: as(), params: { id: run.task_id } })
  await eventually(async () => expect((await task()).state).toBe('paused'))
  const { states } = await server.call(bulkRuns.view, { as: as(), params: { id: run.id } })
  expect(states['waiting']).toBe(24 - called.mock.calls.length)
  // fewer have begun if the turn was slow
  expect(states['waiting']).toBeGreaterThanOrEqual(4)
  await server.call(tasks.resume, { as: as(), params: { id: run.task_id } })
  expect(await taskOf(run.task_id)).toMatchObject({ state: 'success', result: { done: 24 } })
})

it('deletes the stored identity of the caller when a run finishes', async () => {
  const run = await begin(deleting(await disks('forgotten', 1)))
  await taskOf(run.task_id)
  expect(await server.sql.query('select from run_caller where task_id = $1', [run.task_id])).toEqual([])
})

it('records each call of a run in the audit log under the user who started the run', async () => {
  const ids = await disks('audited', 2)
  const run = await begin(deleting(ids))
  await taskOf(run.task_id)
  const lines = await server.sql.query<Record<string, unknown>>(
    `select action, user_id, result, subject_name, project_id, session_id is not null as has_session from audit
      where action = 'volume.delete' and subject_id = any($1::text[]) order by subject_name`,
    [ids],
  )
  const { user, project } = server.cast.people['project-member']
  const line = { action: 'volume.delete', user_id: user.id, result: 'success', project_id: project!.id }
  expect(lines).toEqual(
    ['audited-0', 'audited-1'].map((subject_name) => ({ ...line, subject_name, has_session: true })),
  )
})

it('predicts in a dry run the errors that the calls would return, without changing anything', async () => {
  const [free, used] = await disks('dry', 2)
  const body: BodyInputOf<typeof instances.create> = {
    name: 'holder',
    flavor: 's1.nano',
    networks: [],
    volumes: [
      { source: 'blank', size: GiB, boot_index: 0 },
      { source: 'volume', id: used! },
    ],
  }
  const { id: server_id } = await server.call(instances.create, { as: as(), body })
  await eventually(async () =>
    expect((await server.call(instances.view, { as: as(), params: { id: server_id } })).status).toBe('ACTIVE'),
  )
  const state = () =>
    server.sql.query(`select (select count(*) from job) as jobs, (select count(*) from audit) as lines,
      (select max(revision) from change where kind in ('server', 'volume', 'task')) as revision,
      (select count(*) from bulk_run) as runs`)
  // scheduled jobs would be counted
  await server.tools.scheduler.close()
  await eventually(async () => {
    expect(await server.sql.query('select from job')).toHaveLength(0)
    const { data } = await server.call(tasks.list, { as: 'superuser', query: { limit: 100 } })
    expect(data.filter((task) => !taskIsOver(task.state))).toEqual([])
  })
  const before = await state()
  const told = await check(deleting([free!, used!, 'gone']))
  expect(told).toMatchObject({ count: 3, unchecked: 0 })
  const refusals = await Promise.all(
    [used!, 'gone'].map((id) =>
      server.call(volumes.delete, { as: as(), params: { id } }).then(
        () => null,
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      ),
    ),
  )
  expect(refusals).not.toContain(null)
  const refused = told.data.map(({ refusal }) => refusal && { code: refusal.code, message: refusal.message })
  expect(refused).toEqual([null, ...refusals])
  expect(told.data.map(({ name }) => name)).toEqual(['dry-0', 'dry-1', 'gone'])
  const starting = await check({ kind: 'server', action: 'start', ids: [server_id] })
  expect(starting.data[0]!.refusal).toMatchObject({ code: 'invalid_state' })
  expect((await check({ kind: 'server', action: 'delete', ids: [server_id] })).data[0]!.refusal).toBeNull()
  // the two refused calls wrote one audit log entry each; nothing else has changed
  const [then, now] = [before[0] as Record<string, number>, (await state())[0] as Record<string, number>]
  expect(now).toEqual({ ...then, lines: Number(then['lines']) + 2 })
})

it('changes no users in a dry run and reports that callers cannot disable themselves', async () => {
  const { user } = server.cast.people['domain-admin']
  const member = server.cast.people['project-admin'].user
  const told = await check(
    { kind: 'user', action: 'update', ids: [user.id, member.id], body: { enabled: false } },
    'domain-admin',
  )
  expect(told.data.map(({ refusal }) => refusal?.code ?? null)).toEqual(['user_is_self', null])
  const { enabled } = await server.call(users.view, { as: 'domain-admin', params: { id: member.id } })
  expect(enabled).toBe(true)
})

it('makes at most five calls at a time [CO-018]', async () => {
  const ids = await disks('five', 12)
  const real = volumePort().delete.bind(volumePort())
  let now = 0
  let most = 0
  let areFive = () => {}
  const five = new Promise<void>((resolve) => {
    areFive = resolve
  })
  vi.spyOn(volumePort(), 'delete').mockImplementation(async (...given) => {
    most = Math.max(most, ++now)
    if (now === 5) areFive()
    await five
    // time for a sixth call to start, if it could
    await new Promise((resolve) => setTimeout(resolve, 20))
    now--
    return real(...given)
  })
  expect((await taskOf((await begin(deleting(ids))).task_id)).state).toBe('success')
  expect(most).toBe(5)
})

it(
  'continues after a call for one object fails, reports the reason and lets the user retry it',
  { tags: 'all' },
  async () => {
    const [free, used] = await disks('retry', 2)
    let hasFailed = false
    const real = volumePort().delete.bind(volumePort())
    vi.spyOn(volumePort(), 'delete').mockImplementation((scope, id) => {
      if (id === free && !hasFailed) {
        hasFailed = true
        return Promise.reject(new Error('a secret of the engine'))
      }
      return real(scope, id)
    })
    const run = await begin(deleting([free!, used!, 'gone']))
    expect(await taskOf(run.task_id)).toMatchObject({
      ...{ state: 'failed', err_code: 'not_all_done', error: 'The action failed for 2 of 3 objects' },
    })
    const failed = (
      await server.call(bulkRuns.objects, { as: as(), params: { id: run.id }, query: { state: 'failed' } })
    ).data
    expect(failed.map(({ id, err_code }) => [id, err_code])).toEqual([
      [free, 'unknown'],
      ['gone', 'not_found'],
    ])
    expect(JSON.stringify(failed)).not.toContain('secret')
    const again = await server.call(bulkRuns.retry, { as: as(), params: { id: run.id } })
    expect(again.count).toBe(2)
    await taskOf(again.task_id)
    expect((await objectsOf(again.id)).map(({ state }) => state)).toEqual(['done', 'failed'])
    const whole = await begin(deleting(await disks('whole', 1)))
    await taskOf(whole.task_id)
    await expect(server.call(bulkRuns.retry, { as: as(), params: { id: whole.id } })).rejects.toMatchObject({
      code: 'conflict',
    })
  },
)

it('starts no further calls after a run is cancelled, but finishes those in progress', { tags: 'all' }, async () => {
  const ids = await disks('stop', 9)
  const real = volumePort().delete.bind(volumePort())
  const begun = gate()
  const cancelled = gate()
  const called = vi.spyOn(volumePort(), 'delete').mockImplementation(async (...given) => {
    begun.open()
    await cancelled.passed
    return real(...given)
  })
  const run = await begin(deleting(ids))
  await begun.passed
  const aborted = vi.spyOn(AbortController.prototype, 'abort')
  await server.call(tasks.cancel, { as: as(), params: { id: run.task_id } })
  await eventually(async () =>
    expect(aborted.mock.calls.map(([why]) => (why as Error | undefined)?.message)).toContain('the task was cancelled'),
  )
  aborted.mockRestore()
  cancelled.open()
  expect((await taskOf(run.task_id)).state).toBe('cancelled')
  const states = (await objectsOf(run.id)).map(({ state }) => state)
  expect(states.filter((state) => state === 'done')).toHaveLength(called.mock.calls.length)
  expect(states.filter((state) => state === 'cancelled')).toHaveLength(9 - called.mock.calls.length)
  expect(called.mock.calls.length).toBeLessThan(9)
})

it('refuses the remaining calls of a run after the user who started it signs out', async () => {
  const own = await server.login('project-member')
  const { id: project } = server.cast.people['project-member'].project!
  const scoped = (await server.call(session.enterProject, { as: { token: own }, params: { id: project } })).token
  const ids = await disks('ended', 8, { token: scoped })
  const begun = gate()
  const left = gate()
  const real = volumePort().delete.bind(volumePort())
  vi.spyOn(volumePort(), 'delete').mockImplementation(async (...given) => {
    begun.open()
    await left.passed
    return real(...given)
  })
  const run = await begin(deleting(ids), { token: scoped })
  await begun.passed
  await server.call(session.logout, { as: { token: own } })
  left.open()
  expect((await taskOf(run.task_id)).state).toBe('failed')
  const objects = await objectsOf(run.id)
  expect(objects.filter(({ state }) => state === 'done').length).toBeGreaterThan(0)
  const refused = objects.filter(({ state }) => state === 'failed')
  expect(refused.length).toBeGreaterThan(0)
  expect(new Set(refused.map(({ err_code, error }) => `${err_code}: ${error}`))).toEqual(
    new Set(['unauthorized: The user who started this task has signed out']),
  )
})

it('hides the objects and runs of other tenants', async () => {
  const [theirs] = await disks('theirs', 1, 'other-member')
  expect((await check(deleting([theirs!]))).data).toEqual([
    { id: theirs, name: theirs, refusal: expect.objectContaining({ code: 'not_found' }) },
  ])
  const run = await begin(deleting([theirs!]))
  await taskOf(run.task_id)
  expect(await objectsOf(run.id)).toMatchObject([{ id: theirs, name: theirs, err_code: 'not_found' }])
  expect((await server.call(volumes.view, { as: 'other-member', params: { id: theirs! } })).status).toBe('available')
  for (const who of ['other-member', 'project-admin', 'domain-admin', 'project-member@alpha-one'] as const) {
    const isOwn = who === 'project-member@alpha-one'
    for (const endpoint of [bulkRuns.view, bulkRuns.objects])
      expect((await server.fetch(endpoint, { as: who, params: { id: run.id } })).status, who).toBe(isOwn ? 200 : 404)
    if (!isOwn) expect((await server.fetch(bulkRuns.retry, { as: who, params: { id: run.id } })).status).toBe(404)
  }
  expect((await server.fetch(bulkRuns.view, { as: 'superuser', params: { id: run.id } })).status).toBe(200)
})

it('selects all objects that match a filter, except those that are excluded', async () => {
  const ids = await disks('match', 4)
  await disks('other', 1)
  const draft: BulkRunDraft = { kind: 'volume', action: 'delete', filters: { name: 'starts:match' }, except: [ids[1]!] }
  const run = await begin(draft)
  await taskOf(run.task_id)
  expect((await objectsOf(run.id)).map(({ name }) => name).toSorted()).toEqual(['match-0', 'match-2', 'match-3'])
})

it.each<[string, Record<string, unknown>, string]>([
  ['no objects', { ids: [] }, 'ids'],
  ['neither IDs nor filters', {}, 'ids'],
  ['both', { ids: ['a'], filters: {} }, 'ids'],
  ['an unknown kind', { kind: 'moon', ids: ['a'] }, 'kind'],
  ['a kind named like an inherited property', { kind: 'constructor', ids: ['a'] }, 'kind'],
  ['an action that is not a bulk action', { action: 'extend', ids: ['a'] }, 'action'],
  ['a body for a call without one', { ids: ['a'], body: { force: true } }, 'body'],
  ['a query for a call without one', { action: 'unlock', ids: ['a'], query: { force: 'true' } }, 'query'],
  ['an unknown query parameter', { ids: ['a'], query: { force: 'true' } }, 'force'],
  ['an unknown body field', { kind: 'server', action: 'stop', ids: ['a'], body: { hard: 'no' } }, 'hard'],
  ['unknown filters', { filters: { colour: 'red' } }, 'colour'],
  ['filters that match nothing', { filters: { name: 'nothing is called so' } }, 'filters'],
])('refuses %s and names the field', async (_, part, field) => {
  const body = { kind: 'volume', action: 'delete', ...part } as BulkRunDraft
  for (const endpoint of [bulkRuns.create, bulkRuns.check]) {
    const response = await server.fetch(endpoint, { as: as(), body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { fields: { [field]: expect.anything() } } })
  }
})

it('refuses calls that contain a password', async () => {
  const { id } = server.cast.people['project-admin'].user
  const body = { kind: 'user', action: 'update', ids: [id], body: { password: 'correct horse 13' } }
  expect((await server.fetch(bulkRuns.create, { as: 'domain-admin', body })).status).toBe(400)
  const password = { kind: 'server', action: 'setPassword', ids: [id], body: { password: 'correct horse 13' } }
  expect((await server.fetch(bulkRuns.create, { as: as(), body: password })).status).toBe(400)
})

it('refuses a run if the caller is not allowed to make its call', async () => {
  const body = { kind: 'user', action: 'delete', ids: [server.cast.people['project-admin'].user.id] }
  for (const endpoint of [bulkRuns.create, bulkRuns.check])
    expect((await server.fetch(endpoint, { as: as(), body })).status).toBe(403)
})

it('continues a run on another server without repeating any calls', async () => {
  const database = await testDatabase()
  const keep = { folder: await mkdtemp(path.join(tmpdir(), 'mainstay-')), databaseUrl: database.url }
  const first = await startServer({ keep })
  const who = 'project-member'
  const ids: string[] = []
  for (let index = 0; index < 8; index++)
    ids.push((await first.call(volumes.create, { as: who, body: { name: `kept-${index}`, size: GiB } })).id)
  await eventually(async () => {
    const { data } = await first.call(volumes.list, { as: who, query: { status: 'in:available' } })
    expect(data).toHaveLength(8)
  })
  const port = first.tools.ports.storage.volumes
  const real = port.delete.bind(port)
  const made = gate()
  let calls = 0
  vi.spyOn(port, 'delete').mockImplementation(async (...given) => {
    calls++
    // keep the other calls in progress for a while after the first one has failed
    if (calls > 1) await made.passed.then(() => pause(300))
    const deleted = await real(...given)
    // from here on, the results of calls cannot be stored
    vi.spyOn(first.tools.inventory, 'transaction').mockRejectedValue(
      new Problem('database_unavailable', 'The database is away'),
    )
    made.open()
    return deleted
  })
  const run = await first.call(bulkRuns.create, { as: who, body: deleting(ids) })
  await made.passed
  await first.close()

  const second = await startServer({ keep, cast: first.cast })
  try {
    await eventually(async () => {
      const task = await second.call(tasks.view, { as: 'superuser', params: { id: run.task_id } })
      expect(task).toMatchObject({ state: 'success', result: { done: 8 } })
    })
    // the second server made the rest, and a repeated call would have been recorded as a failure
    expect(calls).toBeLessThan(8)
    const rows = await second.sql.query(`select result from audit where action = 'volume.delete'`)
    expect(rows).toEqual(Array.from({ length: 8 }, () => ({ result: 'success' })))
  } finally {
    await second.close()
    await database.drop()
    await rm(keep.folder, { recursive: true, force: true })
  }
})
