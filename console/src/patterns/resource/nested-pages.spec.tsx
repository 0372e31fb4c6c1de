import { fireEvent, screen, within } from '@testing-library/react'
import { groupKind, groups, type Group, type GroupDraft } from '@mainstay/contract/identity/groups'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { domainResource } from '../../areas/identity/domains/resource'
import { resource } from '../../nav/resource'
import { withLayout } from '../../testing/browser'
import { pressAndLoad } from '../../testing/press-and-load'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'
import { columns } from '../table/columns'
import { fields } from './fields'
import { resourcePages } from './resource-pages'
import { screens } from './screens'

/* Groups nested under their domain: a standard resource nested in another one. */

const nested = resource({
  kind: groupKind,
  calls: groups,
  area: 'identity',
  words: 'groups',
  path: 'groups',
  parent: domainResource,
})
const column = columns<Group>('identity')
const field = fields<GroupDraft>('identity')
const nestedScreens = screens(nested, {
  columns: [column.link('name', 'groups.name', nested.paths.view)],
  filters: () => ['name'],
  facts: ({ description }, t) => [[t('groups.description'), description]],
  form: {
    create: {
      schema: () => import('@mainstay/contract/identity/groups').then((it) => it.GroupDraft),
      start: { name: '', description: '' },
    },
    update: null,
    fields: [field.text('name', 'groups.name')],
  },
})
const more = resourcePages(nested, { screens: () => Promise.resolve({ default: nestedScreens }) })

const as = 'superuser'
let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
let [alpha, beta] = ['', '']
withLayout()
beforeAll(async () => {
  server = await startServer()
  alpha = server.cast.domains['alpha']!.id
  beta = server.cast.domains['beta']!.id
  for (const domain_id of [alpha, beta])
    await server.call(groups.create, {
      as,
      params: { domain_id },
      body: { name: domain_id === alpha ? 'of alpha' : 'of beta' },
    })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const open = async (path: string) => (page = await renderPage(path, { server, as, more }))
const row = (name: string) => screen.findByRole('row', { name }, pageTimeout)
const idOf = async (name: string) =>
  (await server.call(groups.list, { as, params: { domain_id: '-' }, query: { name: `exact:${name}` } })).data[0]!.id

it('lists the rows under the parent in the URL and links to the parent by name', async () => {
  await open(`/domains/${alpha}/groups`)
  const link = within(await row('of alpha')).getByRole('link', { name: 'of alpha' })
  expect(link.getAttribute('href')).toBe(`/domains/${alpha}/groups/${await idOf('of alpha')}`)
  expect(screen.queryByRole('row', { name: 'of beta' })).toBeNull()
  const parent = await screen.findByRole('link', { name: 'alpha' }, pageTimeout)
  expect(parent.getAttribute('href')).toBe(`/domains/${alpha}`)
})

it('links from a parent to its nested lists', { tags: 'all' }, async () => {
  await open(`/domains/${beta}`)
  const details = within(await screen.findByRole('dialog', { name: 'beta' }, pageTimeout))
  await pressAndLoad(await details.findByRole('button', { name: 'Actions for beta' }, pageTimeout))
  await pressAndLoad(await screen.findByRole('menuitem', { name: 'Groups' }, pageTimeout))
  await row('of beta')
  expect(page!.address()).toBe(`/domains/${beta}/groups`)
})

it('lists the rows under all parents if the URL allows any parent, without a create button', async () => {
  await open('/domains/-/groups')
  await row('of alpha')
  await row('of beta')
  expect(screen.queryAllByRole('link', { name: 'Create group' })).toEqual([])
})

it('creates an object under the parent in the URL and returns to its list', { tags: 'all' }, async () => {
  await open(`/domains/${beta}/groups/add`)
  const form = within(await screen.findByRole('dialog', { name: 'Create group' }, pageTimeout))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: 'added' } })
  fireEvent.click(form.getByRole('button', { name: 'Create group' }))
  await row('added')
  await vi.waitFor(() => expect(page!.address()).toBe(`/domains/${beta}/groups`))
  const { data } = await server.call(groups.list, { as, params: { domain_id: beta } })
  expect(data.map(({ name }) => name)).toContain('added')
})

it('shows details only under the correct parent', async () => {
  const id = await idOf('of beta')
  await open(`/domains/${beta}/groups/${id}`)
  expect(await screen.findByRole('dialog', { name: 'of beta' }, pageTimeout)).toBeTruthy()
  page!.close()
  await open(`/domains/${alpha}/groups/${id}`)
  const details = within(await screen.findByRole('dialog', { name: 'Group' }, pageTimeout))
  expect(await details.findByRole('alert', {}, pageTimeout)).toBeTruthy()
  expect(screen.queryByRole('dialog', { name: 'of beta' })).toBeNull()
})
