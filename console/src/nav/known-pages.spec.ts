import { instances } from '@mainstay/contract/compute/instances'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { expect, test } from 'vitest'
import { addPages, entryOf, isPageKnown, listOf, listsBelow, menuEntries, setKnownPages, viewPath } from './known-pages'
import { route } from './route'

const load = () => Promise.reject<never>(new Error('is not opened here'))
const entry = { in: 'compute.workloads', icon: 'KeyIcon' } as const

setKnownPages(
  [
    route('groups', load, {
      needs: serverGroups.list.needs,
      texts: 'compute',
      menu: { ...entry, label: 'menu.serverGroups', needs: serverGroups.create.needs },
    }),
    route('machines', load, {
      needs: instances.list.needs,
      texts: 'instances',
      menu: { ...entry, label: 'menu.instances' },
    }),
    route('machines/disks', load, {
      needs: instances.list.needs,
      texts: 'instances',
      menu: { tabOf: 'machines', icon: 'KeyIcon', label: 'menu.images' },
    }),
    route('machines/map', load, {
      needs: instances.list.needs,
      texts: 'instances',
      menu: { ...entry, label: 'menu.topology' },
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
        ...(path.endsWith('/disks')
          ? { menu: { icon: 'KeyIcon', label: 'menu.volumes' } }
          : { title: 'instances.one' }),
        ...(path.endsWith('/$id') && { shows: 'disk' }),
      }),
    ),
  ],
  [{ path: 'compute' }],
)

test('the menu has its entries in the order of the table, with the rights of their pages unless they name another', () => {
  expect(menuEntries().map(({ to, label, needs }) => [to, label, needs])).toEqual([
    ['/groups', 'menu.serverGroups', serverGroups.create.needs],
    ['/machines', 'menu.instances', instances.list.needs],
    ['/machines/map', 'menu.topology', instances.list.needs],
  ])
})

test('an object is shown by the page of its kind; kinds without a page have none', () => {
  expect(viewPath('server', 'a/b')).toBe('/machines/a%2Fb')
  expect(viewPath('subnet', 'a')).toBeUndefined()
})

test('an object that is in another one is shown in any, and is made on a page of that', () => {
  expect(viewPath('disk', 'd1')).toBe('/machines/-/disks/d1')
  expect(addPages()).toEqual([])
  expect(listsBelow('machines').map(({ path }) => path)).toEqual(['machines/$server_id/disks'])
  expect(listOf('disk')?.label).toBe('menu.volumes')
})

test('pages and addresses that lead on are known, others are not', () => {
  expect(['/groups', '/compute', '/users'].map(isPageKnown)).toEqual([true, true, false])
})

test('a page belongs to the entry or tab whose address is the longest above its own', () => {
  const placeOf = (path: string) => {
    const place = entryOf(path)
    return place && [place.entry.path, place.tab?.path]
  }
  expect(placeOf('machines')).toEqual(['machines', undefined])
  expect(placeOf('machines/$id/{-$tab}')).toEqual(['machines', undefined])
  expect(placeOf('machines/map/$id')).toEqual(['machines/map', undefined])
  expect(placeOf('machines/disks/$id')).toEqual(['machines', 'machines/disks'])
  expect(placeOf('machines-of-old')).toBeUndefined()
  expect(listOf('server')?.label).toBe('menu.instances')
})

test('the title of a page in the tree is its label there', () => {
  const { title } = route('groups', load, {
    needs: serverGroups.list.needs,
    texts: 'compute',
    menu: { ...entry, label: 'menu.serverGroups' },
  })
  expect(title).toEqual({ texts: 'shell', key: 'menu.serverGroups' })
})

test('a tab of an entry that does not exist is refused, by its name', () => {
  const lost = route('disks', load, {
    needs: instances.list.needs,
    texts: 'instances',
    menu: { tabOf: 'nowhere', icon: 'KeyIcon', label: 'menu.images' },
  })
  expect(() => setKnownPages([lost])).toThrow('disks is a tab of nowhere, which is no entry of the menu')
})
