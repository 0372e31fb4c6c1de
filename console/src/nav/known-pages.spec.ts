import { instances } from '@mainstay/contract/compute/instances'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { expect, test } from 'vitest'
import { KeyIcon } from '../ui/icons'
import { addPages, isPageKnown, listsBelow, menuPages, setKnownPages, viewPath } from './known-pages'
import { route } from './route'

const load = () => Promise.reject<never>(new Error('is not opened here'))
const entry = { group: 'compute', icon: KeyIcon } as const

setKnownPages(
  [
    route('groups', load, {
      needs: serverGroups.list.needs,
      texts: 'compute',
      title: 'serverGroups.title',
      menu: { ...entry, label: 'menu.serverGroups', needs: serverGroups.create.needs },
    }),
    route('machines', load, {
      needs: instances.list.needs,
      texts: 'instances',
      title: 'instances.title',
      menu: { ...entry, label: 'menu.instances' },
    }),
    route('machines/$id/{-$tab}', load, {
      needs: instances.view.needs,
      texts: 'instances',
      title: 'instances.one',
      shows: 'server',
    }),
    ...['machines/$server_id/disks', 'machines/$server_id/disks/add', 'machines/$server_id/disks/$id'].map((path) =>
      route(path, load, {
        needs: instances.view.needs,
        texts: 'instances',
        title: 'instances.one',
        ...(path.endsWith('/$id') && { shows: 'disk' }),
      }),
    ),
  ],
  [{ path: 'compute' }],
)

test('a menu has the pages of its group in the order of the table, with their rights unless they name another', () => {
  expect(menuPages('compute').map(({ to, label, needs }) => [to, label, needs])).toEqual([
    ['/groups', 'menu.serverGroups', serverGroups.create.needs],
    ['/machines', 'menu.instances', instances.list.needs],
  ])
  expect(menuPages('domain')).toEqual([])
})

test('an object is shown by the page of its kind; kinds without a page have none', () => {
  expect(viewPath('server', 'a/b')).toBe('/machines/a%2Fb')
  expect(viewPath('subnet', 'a')).toBeUndefined()
})

test('an object that is in another one is shown in any, and is made on a page of that', () => {
  expect(viewPath('disk', 'd1')).toBe('/machines/-/disks/d1')
  expect(addPages()).toEqual([])
  expect(listsBelow('machines').map(({ path }) => path)).toEqual(['machines/$server_id/disks'])
})

test('pages and addresses that lead on are known, others are not', () => {
  expect(['/groups', '/compute', '/users'].map(isPageKnown)).toEqual([true, true, false])
})
