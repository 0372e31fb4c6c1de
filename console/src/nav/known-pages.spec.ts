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

test('lists menu entries in route order, with the page’s permission unless the entry has its own', () => {
  expect(menuEntries().map(({ to, label, needs }) => [to, label, needs])).toEqual([
    ['/groups', 'menu.serverGroups', serverGroups.create.needs],
    ['/machines', 'menu.instances', instances.list.needs],
    ['/machines/map', 'menu.topology', instances.list.needs],
  ])
})

test('links an object to its kind’s view page, or to nothing if there is none', () => {
  expect(viewPath('server', 'a/b')).toBe('/machines/a%2Fb')
  expect(viewPath('subnet', 'a')).toBeUndefined()
})

test('links a nested object under any parent and offers no global create page', () => {
  expect(viewPath('disk', 'd1')).toBe('/machines/-/disks/d1')
  expect(addPages()).toEqual([])
  expect(listsBelow('machines').map(({ path }) => path)).toEqual(['machines/$server_id/disks'])
  expect(listOf('disk')?.label).toBe('menu.volumes')
})

test('recognizes pages and redirects, but no other URLs', () => {
  expect(['/groups', '/compute', '/users'].map(isPageKnown)).toEqual([true, true, false])
})

test('assigns a page to the entry or tab with the longest matching path', () => {
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

test('uses a page’s menu label as its title', () => {
  const { title } = route('groups', load, {
    needs: serverGroups.list.needs,
    texts: 'compute',
    menu: { ...entry, label: 'menu.serverGroups' },
  })
  expect(title).toEqual({ texts: 'shell', key: 'menu.serverGroups' })
})

test('rejects a tab of an unknown entry and names both', () => {
  const lost = route('disks', load, {
    needs: instances.list.needs,
    texts: 'instances',
    menu: { tabOf: 'nowhere', icon: 'KeyIcon', label: 'menu.images' },
  })
  expect(() => setKnownPages([lost])).toThrow('disks is a tab of nowhere, which is not a menu entry')
})
