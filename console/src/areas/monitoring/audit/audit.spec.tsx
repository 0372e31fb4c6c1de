import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { GiB } from '@mainstay/contract/core/bytes'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { users } from '@mainstay/contract/identity/users'
import { volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import texts from '../../../../locales/en/audit.json'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { withLayout } from '../../../testing/browser'
import { menuByGroup } from '../../../testing/menu'
import { renderPage } from '../../../testing/render-page'
import { activityText } from './audit-words'
import { pressAndLoad } from '../../../testing/press-and-load'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  await loadTexts('audit')
})
afterAll(() => server.close())
afterEach(() => {
  vi.restoreAllMocks()
  page?.close()
})

const makeVolume = (name: string, as: 'project-member' | 'other-member' = 'project-member') =>
  server.call(volumes.create, { as, body: { name, size: GiB } })
const rowOf = async (object: string) => (await screen.findByText(object)).closest('tr')!

it('shows operators the actor, action, object, result and source address [UI-017]', async () => {
  const { id } = await makeVolume('shown in the log')
  await server.fetch(volumes.delete, { as: 'other-member', params: { id: 'there-is-none' } })
  page = await renderPage('/audit-log', { server, as: 'viewer' })
  const row = await rowOf('shown in the log')
  const { user } = server.cast.people['project-member']
  for (const text of ['Volume: create', user.name, 'Succeeded', '127.0.0.1'])
    expect(within(row).getByText(text)).toBeTruthy()
  expect(within(row).getByRole('link', { name: 'shown in the log' }).getAttribute('href')).toBe(
    `/compute/volumes/${id}`,
  )
  const failed = await rowOf('there-is-none')
  expect(within(failed).getByText('Failed')).toBeTruthy()
})

it('shows the project name, and never the project ID while the name is loading', async () => {
  const { fetch } = globalThis
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (/projects.*id=in(:|%3A)/.test(input as string)) await held
    return fetch(input, init)
  })
  page = await renderPage('/audit-log', { server, as: 'superuser' })
  const row = await rowOf('shown in the log')
  const project = server.cast.projects['alpha-one']!
  await vi.waitFor(() => expect(spy.mock.calls.some(([url]) => (url as string).includes(project.id))).toBe(true))
  expect(row.textContent).not.toContain(project.id.slice(0, 8))
  release()
  await within(row).findByText(project.name)
})

it('shows the name of the operators’ project, which is not in the project list', async () => {
  await server.call(volumes.create, { as: 'superuser', body: { name: 'of operators', size: GiB } })
  page = await renderPage('/audit-log?type=volume', { server, as: 'superuser' })
  await within(await rowOf('of operators')).findByText('Operators')
})

it('shows domain administrators only entries from their own domain, and has a menu entry', async () => {
  await makeVolume('of the other domain', 'other-member')
  page = await renderPage('/audit-log', { server, as: 'domain-admin' })
  await rowOf('shown in the log')
  expect(screen.queryByText('of the other domain')).toBeNull()
  const { People: pages = [] } = await menuByGroup()
  expect(pages.find(({ textContent }) => textContent === 'Audit log')?.getAttribute('href')).toBe('/audit-log')
})

it('keeps filters and search in the URL, and exports the entries shown', async () => {
  page = await renderPage('/audit-log?result=in:error&search=there-is', { server, as: 'viewer' })
  await rowOf('there-is-none')
  expect(screen.queryByText('shown in the log')).toBeNull()
  let asked = ''
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    asked = this.href
  })
  await pressAndLoad(screen.getByRole('button', { name: 'Export' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'CSV' }))
  await vi.waitFor(() => expect(asked).not.toBe(''))
  const { pathname, searchParams } = new URL(asked)
  expect(pathname).toBe(auditLog.export.path)
  expect(Object.fromEntries(searchParams)).toMatchObject({
    ...{ result: 'in:error', 'filters.contained_text': 'there-is', format: 'csv', sorters: 'timestamp:desc' },
  })
})

it('shows every field of an entry, including old and new values, request and session, but no secrets', async () => {
  const draft = { name: 'changed_person', password: 'correct horse 12', description: 'first' }
  const { id } = await server.call(users.create, { as: 'domain-admin', body: draft })
  const body = { description: 'second', password: 'wrong horse 1234!' }
  await server.call(users.update, { as: 'domain-admin', params: { id }, body })
  const { data } = await server.call(auditLog.list, { as: 'viewer', query: { object_id: id, activity: 'user.update' } })
  const [line] = data
  page = await renderPage(`/audit-log/${line!.id}`, { server, as: 'viewer' })
  const field = (await screen.findByRole('rowheader', { name: 'description' })).closest('tr')!
  expect(
    within(field)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  ).toEqual(['first', 'second'])
  const secret = screen.getByRole('rowheader', { name: 'password' }).closest('tr')!
  expect(within(secret).getByText('Secret value. Only the fact that it was set is recorded.')).toBeTruthy()
  for (const text of [line!.request_id, line!.session_id!, 'user.update'])
    expect(screen.getAllByText(text).length).toBe(1)
})

it('adds new entries at the top automatically', { tags: 'all' }, async () => {
  page = await renderPage('/audit-log?type=volume', { server, as: 'viewer' })
  await rowOf('shown in the log')
  await makeVolume('came meanwhile')
  await rowOf('came meanwhile')
  const rows = screen.getAllByRole('row')
  expect(within(rows[1]!).getByText('came meanwhile')).toBeTruthy()
})

it('falls back to readable text for unknown actions', () => {
  const t = textsNow('audit')
  expect(activityText({ type: 'server', activity: 'server.start' }, t)).toBe('Virtual machine: start')
  // a bulk run is shown as the action it performs
  const set = (field: string, to: string) => ({ field, from: null, to, is_secret: false })
  const run = { type: 'bulk_run', activity: 'bulk_run.create', changes: [set('kind', 'server'), set('action', 'stop')] }
  expect(activityText(run, t)).toBe('Virtual machine: stop')
  expect(activityText({ type: 'load_balancer', activity: 'load_balancer.failOver' }, t)).toBe(
    'Load balancer: fail over',
  )
})

it('has a label for every recorded action', async () => {
  await loadTexts('audit')
  const { data } = await server.call(auditLog.activities, { as: 'superuser' })
  const wordless = data.filter(({ type, activity }) => {
    const [ofType, ofAct] = [`type.${type}`, `act.${activity.slice(type.length + 1)}`]
    return !(ofType in texts) || !(ofAct in texts)
  })
  expect(wordless).toEqual([])
})
