import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { queryClient } from '../../api/query-client'
import { removeNotice, useNotices } from '../../notices/notices'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { standardFacts } from './standard-facts'
import { pressAndLoad } from '../../testing/press-and-load'

/** Placements are an ordinary resource that is listed, looked at, made, changed and deleted. */
const list = '/compute/placements'
const operator = 'compute-operator'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  const { data } = await server.call(placements.list, { as: operator })
  for (const { id, nodes = [] } of data) {
    for (const carrier_id of nodes)
      await server.call(placements.withdraw, { as: operator, params: { id, carrier: 'nodes', carrier_id } })
    await server.call(placements.delete, { as: operator, params: { id } })
  }
})
afterEach(() => {
  page?.close()
  vi.restoreAllMocks()
})

const open = async (path = '', as: 'compute-operator' | 'viewer' = operator) =>
  (page = await renderPage(`${list}${path}`, { server, as }))
const make = async (name: string) =>
  (await server.call(placements.create, { as: operator, body: { name, description: `of ${name}` } })).id
async function give(id: string): Promise<void> {
  const [node] = (await server.call(computeNodes.list, { as: operator })).data
  await server.call(placements.assign, { as: operator, params: { id, carrier: 'nodes' }, body: { ids: [node!.id] } })
}
const names = async () => (await server.call(placements.list, { as: operator })).data.map(({ name }) => name)
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))
/** Of one's details. */
async function openMenu(name: string): Promise<void> {
  const button = await (await dialog(name)).findByRole('button', { name: `Actions of ${name}` })
  // what the engine can do is known by then, and the actions stay as they are
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
  fireEvent.click(button)
}
const adds = () => screen.queryAllByRole('link', { name: 'Add placement' })
const rows = () => screen.queryAllByRole('row').flatMap((it) => it.getAttribute('aria-label') ?? [])
const told = () => useNotices.getState().notices.map(({ title }) => title)
const comesTo = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(`${list}${path}`))

/** Has the server answer this to one call, from the next page on. */
function answering(verb: 'GET' | 'POST', path: string, body: object, status = 200) {
  const { fetch: real } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init = {}) => {
    const isIt = typeof input === 'string' && input.split('?')[0] === `${server.adminUrl}${path}`
    return isIt && (init.method ?? 'GET') === verb
      ? Promise.resolve(Response.json(body, { status }))
      : real(input, init)
  })
}

it('an empty list says so, and leads whoever may to the form that adds one', async () => {
  await open()
  // the first page of a file comes last of all on a busy machine
  await screen.findByText('No placements yet. They bind virtual machines to nodes.', {}, { timeout: 40_000 })
  expect(adds().map((link) => link.getAttribute('href'))).toEqual([`${list}/add`, `${list}/add`])
  page!.close()
  await open('', 'viewer')
  await screen.findByText('No placements yet. They bind virtual machines to nodes.')
  expect(adds()).toEqual([])
})

it('the form adds one, says so, and leads back to the list', async () => {
  await open('/add')
  const form = await dialog('Add placement')
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'fast disks' } })
  fireEvent.click(form.getByRole('button', { name: 'Add placement' }))
  await screen.findByRole('row', { name: 'fast disks' })
  await comesTo('')
  expect(await names()).toEqual(['fast disks'])
  expect(told()).toEqual(['Placement “fast disks” added'])
})

it('the form of changes begins with what it changes, and leads back to the details', async () => {
  const id = await make('before')
  await open(`/${id}/edit`)
  const form = await dialog('Edit placement “before”')
  // what the engine can do is known then
  await form.findByLabelText(/^Description/)
  const field = (label: RegExp) => form.getByLabelText<HTMLInputElement>(label)
  expect([field(/^Name/).value, field(/^Description/).value]).toEqual(['before', 'of before'])
  fireEvent.change(field(/^Name/), { target: { value: 'after' } })
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  const details = await dialog('after')
  expect(details.getByText('of before')).toBeTruthy()
  await comesTo(`/${id}`)
  expect(await names()).toEqual(['after'])
  expect(told()).toEqual(['Placement “after” saved'])
})

it('what cannot be changed here has no such action, and its form says why', async () => {
  const id = await make('fixed')
  const actions = async () => {
    await openMenu('fixed')
    return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
  }
  await open(`/${id}`)
  expect(await actions()).toEqual(['Edit', 'Delete'])
  page!.close()

  // an engine whose placements have a name and nothing else
  const { capabilities, ...cluster } = await server.call(computeCluster.view, { as: operator })
  const details = { ...capabilities, placement_details: false }
  answering('GET', computeCluster.view.path, { ...cluster, capabilities: details })
  queryClient.clear()
  await open(`/${id}`)
  expect(await actions()).toEqual(['Delete'])
  page!.close()
  await open(`/${id}/edit`)
  const form = await dialog('Edit placement “fixed”')
  const why = 'Placements of this cloud have only a name, which cannot be changed.'
  await vi.waitFor(() => expect(form.getAllByText(why).length).toBeGreaterThan(0))
  expect(form.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
})

it('who may neither change nor delete one is offered neither', async () => {
  const id = await make('looked at')
  await open(`/${id}`, 'viewer')
  await (await dialog('looked at')).findByText('of looked at')
  expect(screen.queryByRole('button', { name: 'Actions of looked at' })).toBeNull()
  page!.close()
  await open('', 'viewer')
  await screen.findByRole('row', { name: 'looked at' })
  expect(screen.queryByRole('checkbox', { name: 'Select all rows shown' })).toBeNull()
})

it('one is deleted after a question, and a question that is left changes nothing', async () => {
  const id = await make('unwanted')
  await open(`/${id}`)
  const ask = async (answer: 'Cancel' | 'Delete placement') => {
    await openMenu('unwanted')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }))
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: answer }))
    await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  }
  await ask('Cancel')
  expect([page!.address(), await names()]).toEqual([`${list}/${id}`, ['unwanted']])
  await ask('Delete placement')
  await comesTo('')
  expect(await names()).toEqual([])
  await screen.findByText('No placements yet. They bind virtual machines to nodes.')
})

it('what cannot be deleted says why, and is left out where many are deleted', async () => {
  await give(await make('in use'))
  await make('spare')
  const why = 'Take it from its nodes, images and flavors first.'
  await open()
  await screen.findByRole('row', { name: 'spare' })
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows shown' }))
  fireEvent.click(screen.getByRole('button', { name: 'Delete 1' }))
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete 1 placement?' }))
  expect(question.getByText(why)).toBeTruthy()
  // once the server has said which of them it would refuse
  fireEvent.click(await question.findByRole('button', { name: 'Delete 1 placement' }))
  await vi.waitFor(async () => expect(await names()).toEqual(['in use']))
  // the dialog goes when nothing is left to be said
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  await vi.waitFor(() => expect(rows()).toEqual(['in use']))
  const row = within(await screen.findByRole('row', { name: 'in use' }))
  await pressAndLoad(row.getByRole('button', { name: 'Actions of in use' }))
  const item = await screen.findByRole('menuitem', { name: /Delete/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  expect(within(item).getByText(why)).toBeTruthy()
})

it('details end with times and id, and where every tenant’s are shown with project and domain', () => {
  const t = ((key: string) => key) as never
  const labels = (item: object, isAllTenants: boolean) =>
    standardFacts({ id: 'i', ...item }, t, isAllTenants).flatMap((row) => (row ? [row[0]] : []))
  const whole = { created_at: '2026-01-01T00:00:00Z', updated_at: null, project_id: 'p', domain_id: 'd' }
  const times = ['table.created', 'table.updated']
  expect(labels(whole, false)).toEqual([...times, 'table.id'])
  expect(labels(whole, true)).toEqual([...times, 'table.project', 'table.domain', 'table.id'])
  expect(labels({}, true)).toEqual(['table.id'])
})
