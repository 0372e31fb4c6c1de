import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks, TaskState, type Task } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { subjectOf, taskStatus, taskText } from './task-words'

const as = 'project-member'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  await loadTexts('tasks')
})
afterAll(() => server.close())
afterEach(() => page?.close())

it('shows what is done to what, and how it ended [UI-018]', async () => {
  page = await renderPage('/tasks', { server, as })
  await screen.findByText('No tasks yet.')
  page.close()
  const { id } = await server.call(volumes.create, { as, body: { name: 'data', size: GiB } })
  await vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { subject_id: id, state: 'success' } })
    expect(data).toHaveLength(1)
  })
  page = await renderPage('/tasks', { server, as })
  const text = await screen.findByText('Volume “data” created')
  const row = text.closest('tr')!
  expect(within(row).getByText('Done')).toBeTruthy()
  expect(within(row).getByRole('link', { name: 'data' }).getAttribute('href')).toBe(`/compute/volumes/${id}`)
})

it('filters by state in the address', async () => {
  page = await renderPage('/tasks?state=in:failed', { server, as })
  await screen.findByText('Nothing matches the filters.')
  fireEvent.click(screen.getAllByRole('button', { name: 'Reset filters' })[0]!)
  await screen.findByText('Volume “data” created')
})

const task = (part: Partial<Task>) =>
  ({
    name: 'compute.image.import',
    state: 'running',
    args: [{ kind: 'image', id: 'i', name: 'deb' }],
    kwargs: {},
    ...part,
  }) as Task

it('the states are these seven, and each has a word [ST-024]', () => {
  const t = textsNow('tasks')
  const states = ['running', 'starting', 'cancelling', 'paused', 'success', 'failed', 'cancelled'] as const
  expect(TaskState.options.toSorted()).toEqual(states.toSorted())
  expect(TaskState.safeParse('scheduled').success).toBe(false)
  expect(states.map((state) => taskStatus({ state }, t).text)).toEqual([
    'Running',
    'Starting',
    'Cancelling',
    'Paused',
    'Done',
    'Failed',
    'Cancelled',
  ])
})

it('speaks of a task in the tense of its state, and of one that it does not know in words that always fit', () => {
  const t = textsNow('tasks')
  expect(taskText(task({}), t)).toBe('Importing image “deb”')
  expect(taskText(task({ state: 'success' }), t)).toBe('Image “deb” imported')
  expect(taskText(task({ state: 'failed' }), t)).toBe('Cannot import image “deb”')
  expect(taskText(task({ name: 'cluster.rebalance', state: 'cancelled' }), t)).toBe('The work on deb was cancelled')
})

it('knows what a task is done to, where it says so', () => {
  expect(subjectOf(task({}))).toEqual({ kind: 'image', id: 'i', name: 'deb' })
  expect(subjectOf(task({ args: ['x'] }))).toBeNull()
  expect(subjectOf(task({ args: [] }))).toBeNull()
})
