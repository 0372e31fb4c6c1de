import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks, TaskState, type Task } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { subjectOf, taskText } from '../../../notices/task-words'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { taskStatus } from './task-words'

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

const isOver = (subject_id: string, state: Task['state']) =>
  vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { subject_id, state } })
    expect(data).toHaveLength(1)
    return data[0]!
  })
async function makeVolume(name: string): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await isOver(id, 'success')
  return id
}

it('shows what is done to what, and how it ended [UI-018]', async () => {
  page = await renderPage('/tasks', { server, as })
  await screen.findByText('No tasks yet.')
  page.close()
  const id = await makeVolume('data')
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

it('one task has a page: who began it, where, how it ended, and the request to make it again', async () => {
  const id = await makeVolume('told')
  page = await renderPage('/tasks', { server, as })
  fireEvent.click(await screen.findByRole('link', { name: 'Volume “told” created' }))
  const details = within(await screen.findByRole('dialog', { name: 'Volume “told” created' }))
  const fact = async (name: string) => (await details.findByText(name)).nextElementSibling!.textContent
  expect(await fact('Started by')).toBe(server.cast.people[as].user.name)
  expect(await fact('Object')).toBe('told')
  expect(details.getByRole('link', { name: 'told' }).getAttribute('href')).toBe(`/compute/volumes/${id}`)
  expect(await fact('Finished')).toMatch(/\d/)
  expect(details.queryByText('Progress')).toBeNull()
  fireEvent.click(details.getByRole('button', { name: 'The request as code' }))
  const code = (await details.findByRole('region', { name: 'curl' })).textContent
  expect(code).toContain(`-X POST ${location.origin}${volumes.create.path}`)
  expect(code).toContain('"name": "told"')
  fireEvent.click(details.getByRole('tab', { name: 'Command line' }))
  const command = (await details.findByRole('region', { name: 'Command line' })).textContent
  expect(command).toContain('mainstay compute volumes create')
  expect(command).toContain('--name told')
  fireEvent.click(details.getByRole('button', { name: 'Arguments' }))
  expect((await details.findByRole('region', { name: 'Arguments' })).textContent).toContain(id)
})

it('the page of a task that failed says why', async () => {
  const { id } = await server.call(instances.create, {
    as,
    body: {
      ...{ name: 'fault-start', flavor: 's1.nano', networks: [] },
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    },
  })
  const task = await isOver(id, 'failed')
  page = await renderPage(`/tasks/${task.id}`, { server, as })
  const failed = within(await screen.findByRole('dialog', { name: 'Cannot create virtual machine “fault-start”' }))
  expect(await failed.findByText('The machine did not start: a fault was asked for')).toBeTruthy()
})

it('a run over one object has its name, and one over several their number', async () => {
  const run = (ids: string[]) => server.call(bulkRuns.create, { as, body: { kind: 'volume', action: 'lock', ids } })
  const sole = await makeVolume('sole')
  await run([sole])
  await run([sole, await makeVolume('other')])
  page = await renderPage('/tasks?name=exact:bulk.run', { server, as })
  await screen.findByText('sole')
  await screen.findByText('2 objects')
  expect(screen.queryByText(/NaN/)).toBeNull()
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
