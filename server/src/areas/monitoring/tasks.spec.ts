import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { page } from '@mainstay/contract/core/lists/paging'
import { Task, taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer({ delays: { start: 2_000, shutdown: 10, suspend: 0, quick: 0, copy: 0 } })
})
afterAll(() => server.close())

const makeInstance = (name: string) =>
  server.call(instances.create, {
    as,
    body: {
      name,
      flavor: 's1.nano',
      networks: [],
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    },
  })
const tasksOf = async (subject_id: string) => (await server.call(tasks.list, { as, query: { subject_id } })).data
const ended = (id: string) =>
  vi.waitFor(async () => {
    const [task] = await tasksOf(id)
    expect(task && taskIsOver(task.state)).toBe(true)
    return task!
  })

it('shows the action, object, user, progress and result of a task [EN-005]', async () => {
  const { id } = await makeInstance('subject')
  const [begun] = await tasksOf(id)
  expect(Task.parse(begun)).toEqual(begun)
  expect(['starting', 'running']).toContain(begun!.state)
  expect(begun).toMatchObject({
    task_id: begun!.id,
    name: 'compute.server.create',
    args: [{ kind: 'server', id, name: 'subject' }],
    kwargs: expect.any(Object),
    event: null,
    error: null,
    user_id: server.cast.people[as].user.id,
    project_id: server.cast.projects['alpha-one']!.id,
    finished_at: null,
  })
  const task = await ended(id)
  expect(task).toMatchObject({ state: 'success', progress: 100, error: null, finished_at: expect.any(String) })
  for (const field of ['result', 'flow']) expect(task).toHaveProperty(field)
})

it('stores the call that started a task, without secrets, so that it can be repeated', async () => {
  const user_data = Buffer.from('#!/bin/sh\necho hunter2').toString('base64')
  const body = { name: 'again', flavor: 's1.nano', networks: [], user_data }
  const volume = { source: 'blank', size: GiB, boot_index: 0 } as const
  const { id } = await server.call(instances.create, { as, body: { ...body, volumes: [volume] } })
  const { request, user_name } = await ended(id)
  expect(user_name).toBe(server.cast.people[as].user.name)
  expect(request).toMatchObject({ verb: 'POST', path: instances.create.path, params: {}, query: {} })
  expect(request!.body).toMatchObject({ ...body, user_data: '•••', volumes: [volume] })
  await server.call(instances.stop, { as, params: { id }, body: { hard: true } })
  const stopped = await vi.waitFor(async () => {
    const found = (await tasksOf(id)).find(({ name }) => name === 'compute.server.stop')
    expect(found).toBeDefined()
    return found!
  })
  expect(stopped.request).toMatchObject({ path: instances.stop.path, params: { id }, body: { hard: true } })
  expect(JSON.stringify(await tasksOf(id))).not.toContain(user_data)
})

it('shows why a task failed', async () => {
  const { id } = await makeInstance('fault-start')
  expect(await ended(id)).toMatchObject({
    state: 'failed',
    error: 'The virtual machine did not start: a fault was requested',
  })
})

it('lists tasks, newest first, and filters by state and subject [CA-025]', async () => {
  const { id } = await server.call(volumes.create, { as, body: { name: 'disk', size: GiB } })
  await ended(id)
  const list = await server.call(tasks.list, { as, query: { limit: 2, with_count: true } })
  expect(page(Task).parse(list)).toEqual(list)
  expect(list.data[0]).toMatchObject({ name: 'compute.volume.create', args: [{ kind: 'volume', id, name: 'disk' }] })
  expect(list.count).toBeGreaterThanOrEqual(3)
  const { data: all } = await server.call(tasks.list, { as })
  const times = all.map(({ created_at }) => created_at)
  expect(new Set(times).size).toBeGreaterThan(2)
  expect(times).toEqual(times.toSorted().toReversed())
  const failed = await server.call(tasks.list, { as, query: { state: 'in:failed' } })
  expect(failed.data.map(({ state }) => state)).toEqual(failed.data.map(() => 'failed'))
  expect(failed.data.length).toBeGreaterThan(0)
})

it('returns the tasks requested with POST, including finished ones [CA-026]', async () => {
  const { data } = await server.call(tasks.list, { as, query: { limit: 2 } })
  const ids = data.map(({ id }) => id)
  const found = await server.call(tasks.find, { as, body: { task_ids: [...ids, 'gone'] } })
  expect(
    page(Task)
      .parse(found)
      .data.map(({ id }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted())
  const foreign = await server.call(tasks.find, { as: 'other-member', body: { task_ids: ids } })
  expect(foreign.data).toEqual([])
  for (const task_ids of [[], Array.from({ length: 101 }, (_, index) => `${index}`)])
    await expect(server.call(tasks.find, { as, body: { task_ids } })).rejects.toMatchObject({ code: 'validation' })
})

it('lets only users who may control tasks pause, resume and answer them', async () => {
  const [one] = (await server.call(tasks.list, { as, query: { limit: 1 } })).data
  const params = { id: one!.id }
  const answer = { params, body: { question: 'none', choice: 'keep' } }
  type As = NonNullable<NonNullable<Parameters<TestServer['call']>[1]>['as']>
  const calls = [
    (as: As) => server.call(tasks.pause, { as, params }),
    (as: As) => server.call(tasks.resume, { as, params }),
    (as: As) => server.call(tasks.answer, { as, ...answer }),
  ]
  for (const [who, code] of [
    ['viewer', 'forbidden'],
    ['compute-operator', 'forbidden'],
    ['other-member', 'not_found'],
    [as, 'invalid_state'],
  ] as const)
    for (const call of calls) await expect(call(who), who).rejects.toMatchObject({ code })
  for (const [body, field] of [
    [{ question: '', choice: 'keep' }, 'question'],
    [{ question: 'none', choice: '' }, 'choice'],
  ] as const)
    await expect(server.call(tasks.answer, { as, params, body })).rejects.toMatchObject({
      ...{ code: 'validation', fields: { [field]: expect.any(Array) } },
    })
})

it('refuses to cancel a finished task', async () => {
  const [over] = (await server.call(tasks.list, { as, query: { state: 'in:success', limit: 1 } })).data
  await expect(server.call(tasks.cancel, { as, params: { id: over!.id } })).rejects.toMatchObject({ status: 409 })
  await expect(server.call(tasks.cancel, { as, params: { id: 'gone' } })).rejects.toMatchObject({ status: 404 })
})
