import type { Task } from '@mainstay/contract/core/tasks'
import { beforeEach, expect, test } from 'vitest'
import { announceTasks, expectTasks, taskChanged } from './expected-tasks'

const told: string[] = []
beforeEach(() => {
  told.length = 0
  announceTasks(({ id, state }) => told.push(`${id} ${state}`))
})

const change = (id: string, state: Task['state'], server: string, flow: string | null = null) =>
  taskChanged({ id, state, flow, args: [{ kind: 'server', id: server, name: 'web' }] } as unknown as Task)

test('announces a task only once if it arrives before the response to its call, and then announces each change', () => {
  change('early', 'running', 'server-1')
  expect(told).toEqual([])
  expectTasks({ id: 'server-1' }, undefined)
  change('early', 'success', 'server-1')
  expect(told).toEqual(['early running', 'early success'])
})

test('does not announce a finished task again after another call on the same object', () => {
  change('first', 'running', 'server-2')
  expectTasks({ id: 'server-2' }, undefined)
  change('first', 'success', 'server-2')
  expectTasks({ id: 'server-2' }, { id: 'volume-1' })
  expect(told).toEqual(['first running', 'first success'])
})

test('does not announce tasks started by others', () => {
  change('foreign', 'running', 'server-3')
  expectTasks({ id: 'server-4' }, undefined)
  change('foreign', 'success', 'server-3')
  expect(told).toEqual([])
})

test('announces the bulk run instead of its task on an object, even if the object was just changed here', () => {
  expectTasks({ id: 'server-5' }, undefined)
  expectTasks(undefined, { task_id: 'run' })
  change('of the run', 'success', 'server-5', 'run')
  change('run', 'success', 'the run itself')
  expect(told).toEqual(['run success'])
})
