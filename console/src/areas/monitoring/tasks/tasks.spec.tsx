import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks, TaskState, type Task, type TaskQuestion } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import type { JobRun, Step } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import axe from 'axe-core'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { subjectOf, taskText } from '../../../notices/task-words'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pressAndLoad } from '../../../testing/press-and-load'
import { taskStatus } from '../../../patterns/tasks/task-status'

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

it('shows a task’s object and state [UI-018]', async () => {
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

it('filters by the state in the URL', async () => {
  page = await renderPage('/tasks?state=in:failed', { server, as })
  await screen.findByText('No items match the filters.')
  fireEvent.click(screen.getAllByRole('button', { name: 'Reset filters' })[0]!)
  await screen.findByText('Volume “data” created')
})

it('shows a task’s user, object, end time and arguments, and its request as code', { tags: 'all' }, async () => {
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
  fireEvent.click(details.getByRole('button', { name: 'Request as code' }))
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

it('shows why a task failed', { tags: 'all' }, async () => {
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
  expect(await failed.findByText('The virtual machine did not start: a fault was requested')).toBeTruthy()
})

it('shows the object name for a bulk run on one object, and the object count for several', async () => {
  const run = (ids: string[]) => server.call(bulkRuns.create, { as, body: { kind: 'volume', action: 'lock', ids } })
  const sole = await makeVolume('sole')
  await run([sole])
  await run([sole, await makeVolume('other')])
  page = await renderPage('/tasks?name=exact:bulk.run', { server, as })
  await screen.findByText('sole')
  await screen.findByText('2 objects')
  expect(screen.queryByText(/NaN/)).toBeNull()
})

const scope = (): ProjectScope => {
  const { user, project, domain } = server.cast.people[as]
  const who = { user_id: user.id, user_name: user.name, domain_id: domain.id, project_id: project!.id }
  return { kind: 'project', ...who, roles: ['project_member'], request_id: 'spec' }
}
/**
 * Starts a job whose first step asks a question and whose second step runs until `end` is called. Resolves when the
 * question is open: a page in a spec has no socket, so it shows only questions that were open when it loaded.
 */
async function beginAsking(name: string): Promise<{ id: string; question: TaskQuestion; end(): void }> {
  let end = () => {}
  const ending = new Promise<void>((resolve) => (end = resolve))
  const steps: Step<JobRun>[] = [
    {
      name: 'move_away',
      run: async ({ answer }) =>
        answer
          ? undefined
          : { ask: 'some_stay', choices: ['stop_them', 'wait'], otherwise: 'wait', within: 3_600_000, values: {} },
    },
    { name: 'switch_off', run: () => ending },
    { name: 'restart', run: () => Promise.resolve() },
  ]
  server.tools.tasks.handle(name, { steps })
  const subject = { kind: 'node', id: name, name: 'node 1' }
  const id = await server.tools.inventory.transaction((records) =>
    records.startJob({
      ...{ name, subject, args: {}, scope: scope(), cancellable: true },
      steps: steps.map((step) => step.name),
    }),
  )
  const question = await vi.waitFor(async () => {
    const task = await server.call(tasks.view, { as, params: { id } })
    expect(task.question).toBeTruthy()
    return task.question!
  })
  return { id, question, end }
}
const stepIs = (id: string, at: number, state: string) =>
  vi.waitFor(async () => expect((await server.call(tasks.view, { as, params: { id } })).steps?.[at]?.state).toBe(state))
const stepLines = (details: ReturnType<typeof within>) =>
  within(details.getByRole('region', { name: 'Steps' }))
    .getAllByRole('listitem')
    .map((line) => line.textContent.replace(/\d+(\.\d+)?\s?(ms|sec|s|min|m)\b.*/, '').trim())

it('shows the question that a task is waiting on, with its options, deadline and default', async () => {
  const { id, end } = await beginAsking('node.ask')
  page = await renderPage(`/tasks/${id}`, { server, as })
  const details = within(await screen.findByRole('dialog'))
  await details.findByText('This task needs your decision: Some stay')
  expect(details.getByText(/If there is no answer by .*\d.* this option is used: Wait\./)).toBeTruthy()
  expect(stepLines(details)[0]).toContain('Waiting for your input')
  expect((await axe.run(screen.getByRole('dialog'))).violations.map((it) => it.id)).toEqual([])
  fireEvent.click(within(details.getByRole('group', { name: 'Options' })).getByRole('button', { name: 'Stop them' }))
  await stepIs(id, 1, 'running')
  page.close()
  page = await renderPage(`/tasks/${id}`, { server, as })
  const after = within(await screen.findByRole('dialog'))
  await vi.waitFor(() => expect(stepLines(after)[1]).toContain('Running'))
  expect(after.queryByText(/needs your decision/)).toBeNull()
  end()
  await isOver('node.ask', 'success')
})

it('shows a task’s steps, and pauses and resumes the task', { tags: 'all' }, async () => {
  const { id, question, end } = await beginAsking('node.pause')
  await server.call(tasks.answer, { as, params: { id }, body: { question: question.id, choice: 'wait' } })
  await stepIs(id, 1, 'running')
  page = await renderPage(`/tasks/${id}`, { server, as })
  const details = within(await screen.findByRole('dialog'))
  await vi.waitFor(() =>
    expect(stepLines(details).map((line) => line.replace(/^(\D+?)(Done|Running|Not started)$/, '$1: $2'))).toEqual([
      'Move away: Done',
      'Switch off: Running',
      'Restart: Not started',
    ]),
  )
  const choose = async (name: string) => {
    await pressAndLoad(details.getByRole('button', { name: /^Actions for/ }))
    fireEvent.click(await screen.findByRole('menuitem', { name }))
  }
  await choose('Pause task')
  await details.findByText('The task pauses after the current step.')
  await choose('Resume task')
  await vi.waitFor(() => expect(details.queryByText('The task pauses after the current step.')).toBeNull())
  end()
  await isOver('node.pause', 'success')
})

it('lists a task’s subtasks, each with a link back to the parent task', { tags: 'all' }, async () => {
  const ids = [await makeVolume('part-one'), await makeVolume('part-two')]
  const run = await server.call(bulkRuns.create, {
    as,
    body: { kind: 'volume', action: 'delete', ids, query: { permanent: 'true' } },
  })
  await vi.waitFor(async () =>
    expect((await server.call(tasks.view, { as, params: { id: run.task_id } })).state).toBe('success'),
  )
  page = await renderPage(`/tasks/${run.task_id}`, { server, as })
  const parts = within(await screen.findByRole('region', { name: 'Subtasks' }))
  fireEvent.click(await parts.findByRole('link', { name: /part-one/ }))
  const back = await screen.findByRole('link', { name: 'View parent task' })
  expect(back.getAttribute('href')).toContain(`/tasks/${run.task_id}`)
})

const task = (part: Partial<Task>) =>
  ({
    name: 'compute.image.import',
    state: 'running',
    args: [{ kind: 'image', id: 'i', name: 'deb' }],
    kwargs: {},
    ...part,
  }) as Task

it('has a label for each of the seven states [ST-024]', () => {
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

it('describes a task in the tense that matches its state, and an unknown task in generic terms', () => {
  const t = textsNow('tasks')
  expect(taskText(task({}), t)).toBe('Importing image “deb”')
  expect(taskText(task({ state: 'success' }), t)).toBe('Image “deb” imported')
  expect(taskText(task({ state: 'failed' }), t)).toBe('Cannot import image “deb”')
  expect(taskText(task({ name: 'cluster.rebalance', state: 'cancelled' }), t)).toBe('Task cancelled: deb')
})

it('derives a task’s object from its arguments', () => {
  expect(subjectOf(task({}))).toEqual({ kind: 'image', id: 'i', name: 'deb' })
  expect(subjectOf(task({ args: ['x'] }))).toBeNull()
  expect(subjectOf(task({ args: [] }))).toBeNull()
})
