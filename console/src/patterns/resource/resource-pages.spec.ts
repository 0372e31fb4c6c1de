import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { expect, test } from 'vitest'
import { resource } from '../../nav/resource'
import { resourcePages } from './resource-pages'
import { screens, tableFilters } from './screens'

const groups = resource({
  kind: serverGroupKind,
  calls: serverGroups,
  area: 'compute',
  words: 'serverGroups',
  path: 'groups',
  menu: { in: 'compute.workloads', icon: 'ServerGroupIcon', label: 'menu.serverGroups' },
})
const traits = resource({
  kind: placementKind,
  calls: placements,
  area: 'compute',
  words: 'placements',
  path: 'traits',
})
const none = () => Promise.reject<never>(new Error('is not opened here'))
const plain = { screens: none }

test('creates each page with its call’s permission, a title and the page behind it', () => {
  expect(resourcePages(traits, plain).map(({ path, needs, title, over }) => [path, needs, title.key, over])).toEqual([
    ['traits', placements.list.needs, 'placements.title', undefined],
    ['traits/add', placements.create.needs, 'placements.add', 'traits'],
    ['traits/$id', placements.view.needs, 'placements.one', 'traits'],
    ['traits/$id/edit', placements.update.needs, 'placements.edit', 'traits/$id'],
  ])
})

test('creates no page without its call or its screens', () => {
  expect(resourcePages(groups, plain).map(({ path }) => path)).toEqual(['groups', 'groups/add', 'groups/$id'])
  expect(resourcePages(groups, { list: none }).map(({ path }) => path)).toEqual(['groups'])
})

test('adds the menu place to the list and the kind to the details', () => {
  const [list, , view] = resourcePages(groups, plain)
  expect([list!.menu?.label, list!.shows]).toEqual(['menu.serverGroups', undefined])
  expect([view!.menu, view!.shows]).toEqual([undefined, 'server_group'])
})

test('supports custom paths, permissions and placement, and additional pages', () => {
  const pages = resourcePages(groups, {
    ...plain,
    add: { path: 'add/{-$step}', isAlone: true },
    view: { path: '$id/{-$tab}', needs: placements.update.needs },
    more: [{ path: '$id/members', load: none, needs: serverGroups.view.needs, title: 'members' }],
  })
  expect(pages.map(({ path, over }) => [path, over])).toEqual([
    ['groups', undefined],
    ['groups/add/{-$step}', undefined],
    ['groups/$id/{-$tab}', 'groups'],
    ['groups/$id/members', 'groups/$id/{-$tab}'],
  ])
  expect(pages[2]!.needs).toEqual(placements.update.needs)
})

const t = ((key: string) => `text of ${key}`) as never
const filtersOf = (filters: Parameters<typeof tableFilters>[1]['filters']) =>
  tableFilters(traits, { columns: [{ id: 'isolated', label: 'placements.takes' } as never], filters }, t)

test('takes a filter’s label from the column with the same name, unless the filter has its own', () => {
  expect(filtersOf(() => ['isolated', { name: 'nodes', label: 'Nodes', operator: 'any' }])).toEqual([
    { name: 'isolated', label: 'text of placements.takes' },
    { name: 'nodes', label: 'Nodes', operator: 'any' },
  ])
})

test('rejects a filter that the kind does not have and names it', () => {
  expect(() => filtersOf(() => ['colour'])).toThrow('The kind placement has no filter colour')
})

const table = { columns: [], filters: () => [], facts: () => [] }
const schema = () => import('@mainstay/contract/compute/server-groups').then((it) => it.ServerGroupDraft)
const start = { name: '', policy: 'affinity' } as const

test('type-checks screens against the resource’s objects', () => {
  // @ts-expect-error a server group has no `vcpus`
  expect(screens(groups, { ...table, facts: ({ vcpus }) => [['vCPUs', vcpus]], form: null })).toBeTruthy()
})

test('requires a matching form for create and update, or null for a custom component', () => {
  expect(screens(groups, { ...table, form: { create: { schema, start }, fields: [] } })).toBeTruthy()
  expect(screens(groups, { ...table, form: null })).toBeTruthy()
  // @ts-expect-error server groups have a create call
  expect(screens(groups, table)).toBeTruthy()
  // @ts-expect-error a draft has a policy
  expect(screens(groups, { ...table, form: { create: { schema, start: { name: '' } }, fields: [] } })).toBeTruthy()
  // @ts-expect-error placements have an update call
  expect(screens(traits, { ...table, form: { create: { schema, start }, fields: [] } })).toBeTruthy()
})

test('does not compile if strings for a form are missing from the catalogue', () => {
  const settings = { kind: serverGroupKind, calls: serverGroups, area: 'compute', path: 'groups' } as const
  const said = resource({ ...settings, words: 'serverGroups' })
  const unsaid = resource({ ...settings, area: 'images', words: 'images' })
  const form = { create: { schema, start }, fields: [] }
  expect(screens(said, { ...table, form })).toBeTruthy()
  // @ts-expect-error the catalogue has no `images.added`
  expect(screens(unsaid, { ...table, form })).toBeTruthy()
})

test('names the call whose form is missing', async () => {
  const [, add] = resourcePages(groups, {
    screens: async () => ({ default: screens(groups, { ...table, form: null }) }),
  })
  await expect(add!.load()).rejects.toThrow('The screens of serverGroups have no form for the call create')
})
