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

test('a task that is heard of before the answer of its call is told once, and then as it changes', () => {
  change('early', 'running', 'server-1')
  expect(told).toEqual([])
  expectTasks({ id: 'server-1' }, undefined)
  change('early', 'success', 'server-1')
  expect(told).toEqual(['early running', 'early success'])
})

test('another call does not tell anew of a task that is over by now', () => {
  change('first', 'running', 'server-2')
  expectTasks({ id: 'server-2' }, undefined)
  change('first', 'success', 'server-2')
  expectTasks({ id: 'server-2' }, { id: 'volume-1' })
  expect(told).toEqual(['first running', 'first success'])
})

test('what others started is not told', () => {
  change('foreign', 'running', 'server-3')
  expectTasks({ id: 'server-4' }, undefined)
  change('foreign', 'success', 'server-3')
  expect(told).toEqual([])
})

test('what a run does to an object is told by the run, also where that object was changed here a moment ago', () => {
  expectTasks({ id: 'server-5' }, undefined)
  expectTasks(undefined, { task_id: 'run' })
  change('of the run', 'success', 'server-5', 'run')
  change('run', 'success', 'the run itself')
  expect(told).toEqual(['run success'])
})
