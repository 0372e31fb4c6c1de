import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '@mainstay/contract/core/tasks'
import { tellChange } from '../api/changes'
import { loadTexts } from '../i18n/use-t'
import { expectTasks } from './expected-tasks'
import { removeNotice, useNotices } from './notices'
import { followTasks } from './task-notices'

const task = (part: Partial<Task>): Task =>
  ({
    id: 't1',
    name: 'compute.server.create',
    state: 'running',
    args: [{ kind: 'server', id: 'vm1', name: 'web' }],
    kwargs: {},
    progress: 0,
    error: null,
    ...part,
  }) as Task

const change = (entity: Task) =>
  tellChange({
    revision: 1,
    kind: 'task',
    id: entity.id,
    op: 'put',
    project_id: null,
    domain_id: null,
    at: '',
    entity,
  })
const shown = () => useNotices.getState().notices

beforeAll(async () => {
  await loadTexts('tasks')
  followTasks()
})
beforeEach(() => {
  for (const { id } of shown()) removeNotice(id)
})

it.each([
  ['error', ['aborted', 'failed']],
  ['warning', ['cancelled']],
  ['progress', ['cancelling', 'running', 'scheduled', 'starting']],
  ['success', ['success']],
])('shows %s notifications for tasks that are %s [ST-019] [ST-020] [ST-021] [ST-022]', async (type, states) => {
  for (const state of states) {
    const id = `of-${state}`
    expectTasks(undefined, { task_id: id })
    change(task({ id, state: state as Task['state'] }))
    await vi.waitFor(() => expect(shown().map(({ taskId }) => taskId)).toContain(id))
    expect(shown().find(({ taskId }) => taskId === id)).toMatchObject({ type, showBottom: true })
  }
})

it('follows a task that was started here, in one place, from start to end', async () => {
  expectTasks(undefined, { id: 'vm1' })
  change(task({ progress: 40 }))
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  expect(shown()[0]).toMatchObject({ type: 'progress', title: 'Creating virtual machine “web”', share: 0.4 })
  change(task({ state: 'success', progress: 100 }))
  await vi.waitFor(() => expect(shown()[0]!.type).toBe('success'))
  expect(shown()).toHaveLength(1)
  expect(shown()[0]!.title).toBe('Virtual machine “web” created')
})

it('shows the server’s text and a title of the task’s own when it fails [ER-014]', async () => {
  expectTasks(undefined, { id: 'vm2' })
  change(task({ id: 't2', args: [{ id: 'vm2', name: 'db' }], state: 'failed', error: 'No host has room' }))
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  expect(shown()[0]).toMatchObject({
    type: 'error',
    title: 'Cannot create virtual machine “db”',
    message: 'No host has room',
  })
})

it('says why a task failed, and so when there is no reason [ER-013]', async () => {
  expectTasks(undefined, { task_id: 't5' })
  change(task({ id: 't5', state: 'failed', error: 'No host has room' }))
  await vi.waitFor(() => expect(shown()[0]?.message).toBe('No host has room'))
  expectTasks(undefined, { task_id: 't3' })
  change(task({ id: 't3', state: 'failed' }))
  await vi.waitFor(() => expect(shown()[0]?.message).toBe('Task failed due to unknown reason'))
})

it('shows nothing of tasks that others started [UI-101]', async () => {
  change(task({ id: 't4', args: [{ id: 'vm4', name: 'x' }] }))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(shown()).toHaveLength(0)
})
