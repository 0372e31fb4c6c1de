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

/** Placements are a standard resource with list, details, create, edit and delete. */
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
/** Opens the action menu in the details. */
async function openMenu(name: string): Promise<void> {
  const button = await (await dialog(name)).findByRole('button', { name: `Actions for ${name}` })
  // waits for the engine's capabilities, which determine the actions
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
  fireEvent.click(button)
}
const adds = () => screen.queryAllByRole('link', { name: 'Create placement' })
const rows = () => screen.queryAllByRole('row').flatMap((it) => it.getAttribute('aria-label') ?? [])
const told = () => useNotices.getState().notices.map(({ title }) => title)
const comesTo = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(`${list}${path}`))

/** Mocks the response to a call for pages opened afterwards. */
function answering(verb: 'GET' | 'POST', path: string, body: object, status = 200) {
  const { fetch: real } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init = {}) => {
    const isIt = typeof input === 'string' && input.split('?')[0] === `${server.adminUrl}${path}`
    return isIt && (init.method ?? 'GET') === verb
      ? Promise.resolve(Response.json(body, { status }))
      : real(input, init)
  })
}

it('shows an empty state, with create links if the user may create objects', async () => {
  await open()
  // the first page in a file loads slowest on a busy machine
  await screen.findByText(
    'No placements yet. A placement restricts virtual machines to certain nodes.',
    {},
    { timeout: 40_000 },
  )
  expect(adds().map((link) => link.getAttribute('href'))).toEqual([`${list}/add`, `${list}/add`])
  page!.close()
  await open('', 'viewer')
  await screen.findByText('No placements yet. A placement restricts virtual machines to certain nodes.')
  expect(adds()).toEqual([])
})

it('creates an object, shows a notification and returns to the list', async () => {
  await open('/add')
  const form = await dialog('Create placement')
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'fast disks' } })
  fireEvent.click(form.getByRole('button', { name: 'Create placement' }))
  await screen.findByRole('row', { name: 'fast disks' })
  await comesTo('')
  expect(await names()).toEqual(['fast disks'])
  expect(told()).toEqual(['Placement “fast disks” created'])
})

it('starts the edit form with the current values and returns to the details', async () => {
  const id = await make('before')
  await open(`/${id}/edit`)
  const form = await dialog('Edit placement “before”')
  // the engine's capabilities have been loaded at this point
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

it('hides the edit action if the engine cannot change the object, and says so in the form', async () => {
  const id = await make('fixed')
  const actions = async () => {
    await openMenu('fixed')
    return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
  }
  await open(`/${id}`)
  expect(await actions()).toEqual(['Edit', 'Delete'])
  page!.close()

  // an engine whose placements have only a name
  const { capabilities, ...cluster } = await server.call(computeCluster.view, { as: operator })
  const details = { ...capabilities, placement_details: false }
  answering('GET', computeCluster.view.path, { ...cluster, capabilities: details })
  queryClient.clear()
  await open(`/${id}`)
  expect(await actions()).toEqual(['Delete'])
  page!.close()
  await open(`/${id}/edit`)
  const form = await dialog('Edit placement “fixed”')
  const why = 'In this cloud, a placement consists only of its name, which cannot be changed.'
  await vi.waitFor(() => expect(form.getAllByText(why).length).toBeGreaterThan(0))
  expect(form.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
})

it('hides edit and delete actions without permission', async () => {
  const id = await make('looked at')
  await open(`/${id}`, 'viewer')
  await (await dialog('looked at')).findByText('of looked at')
  expect(screen.queryByRole('button', { name: 'Actions for looked at' })).toBeNull()
  page!.close()
  await open('', 'viewer')
  await screen.findByRole('row', { name: 'looked at' })
  expect(screen.queryByRole('checkbox', { name: 'Select all rows shown' })).toBeNull()
})

it('deletes an object after confirmation and changes nothing on cancel', { tags: 'all' }, async () => {
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
  await screen.findByText('No placements yet. A placement restricts virtual machines to certain nodes.')
})

it('shows why an object cannot be deleted and leaves it out of bulk deletion', async () => {
  await give(await make('in use'))
  await make('spare')
  const why = 'Remove the placement from its nodes, images and flavors first.'
  await open()
  await screen.findByRole('row', { name: 'spare' })
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows shown' }))
  fireEvent.click(screen.getByRole('button', { name: 'Delete 1' }))
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete 1 placement?' }))
  expect(question.getByText(why)).toBeTruthy()
  // this button appears once the server has reported which deletions it would refuse
  fireEvent.click(await question.findByRole('button', { name: 'Delete 1 placement' }))
  await vi.waitFor(async () => expect(await names()).toEqual(['in use']))
  // the dialog closes when all objects are done
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  await vi.waitFor(() => expect(rows()).toEqual(['in use']))
  const row = within(await screen.findByRole('row', { name: 'in use' }))
  await pressAndLoad(await row.findByRole('button', { name: 'Actions for in use' }))
  const item = await screen.findByRole('menuitem', { name: /Delete/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  expect(within(item).getByText(why)).toBeTruthy()
})

it('ends the details with times and ID, plus project and domain in a system scope', () => {
  const t = ((key: string) => key) as never
  const labels = (item: object, isAllTenants: boolean) =>
    standardFacts({ id: 'i', ...item }, t, isAllTenants).flatMap((row) => (row ? [row[0]] : []))
  const whole = { created_at: '2026-01-01T00:00:00Z', updated_at: null, project_id: 'p', domain_id: 'd' }
  const times = ['table.created', 'table.updated']
  expect(labels(whole, false)).toEqual([...times, 'table.id'])
  expect(labels(whole, true)).toEqual([...times, 'table.project', 'table.domain', 'table.id'])
  expect(labels({}, true)).toEqual(['table.id'])
})
