import { beforeAll, expect, test } from 'vitest'
import { create } from '@mainstay/contract/core/endpoint'
import { setKnownPages } from './known-pages'
import { menuFor } from './menu'
import { route, type MenuPlace } from './route'

const load = () => Promise.reject<never>(new Error('is not opened here'))
const page = (path: string, needs: Parameters<typeof route>[2]['needs'], menu: Omit<MenuPlace, 'icon'>) =>
  route(path, load, { needs, texts: 'compute', menu: { ...menu, icon: 'KeyIcon' } })

beforeAll(() =>
  setKnownPages([
    page('vpn', 'compute_vpn_ipsec_site_connections', { in: 'network.access', label: 'menu.vpn' }),
    page('networks', 'compute_networks', { in: 'network.networks', label: 'menu.networks' }),
    page('routers', 'compute_routers', { in: 'network.networks', label: 'menu.routers' }),
    page('flavors', 'compute_flavors', {
      in: 'compute.cluster',
      label: 'menu.flavors',
      needs: create('compute_flavors'),
    }),
    page('keys', 'compute_keys', { in: 'compute.workloads', label: 'menu.sshKeys' }),
    page('volumes', 'compute_volumes', { in: 'storage.block', label: 'menu.volumes', service: 'compute' }),
    page('bin', 'compute_recycle_bin', { in: 'protection', label: 'menu.recycleBin', service: 'recycle_bin' }),
    page('users', 'domain_users', { in: 'people.accounts', inDomain: 'people.accounts', label: 'menu.users' }),
    page('domains', 'domains', { in: 'people.tenants', label: 'menu.domains' }),
    page('record', 'audit_log', { in: 'overview', inDomain: 'people.records', label: 'menu.audit' }),
    page('mail', 'settings_notifications', { in: 'settings.system', label: 'menu.email' }),
  ]),
)

const reading = [
  ...['compute_vpn_ipsec_site_connections', 'compute_networks', 'compute_routers', 'compute_flavors', 'compute_keys'],
  ...['compute_volumes', 'compute_recycle_bin', 'domain_users', 'domains', 'audit_log'],
]
interface Case {
  kind?: 'project' | 'system' | 'domain'
  isComputeThere?: boolean
  isBinThere?: boolean
  rights?: Record<string, string[]>
}
const session = ({ kind = 'project', isComputeThere = true, isBinThere = true, rights = {} }: Case = {}) =>
  ({
    user: { id: 'u', domain_id: 'd', roles: kind === 'domain' ? ['domain_admin'] : [] },
    project: kind === 'project' ? { id: 'p', name: 'p' } : null,
    meta: {
      scope: { kind },
      services: { compute: { configured: isComputeThere }, recycle_bin: { available: isBinThere } },
      permissions: Object.fromEntries(
        Object.entries({ ...Object.fromEntries(reading.map((name) => [name, ['GET']])), ...rights }).map(
          ([name, methods]) => [name, { name, methods }],
        ),
      ),
    },
  }) as unknown as Parameters<typeof menuFor>[0]

/** Groups with their headings and pages: `network: networks(networks routers) access(vpn)`. */
const drawn = (shown: Parameters<typeof menuFor>[0]) =>
  menuFor(shown).map(
    ({ id, sections }) =>
      `${id}: ${sections
        .map(({ label, entries }) => `${label ?? ''}(${entries.map(({ path }) => path).join(' ')})`)
        .join(' ')}`,
  )

test('orders groups and headings by the menu, and pages by the route table', () => {
  expect(drawn(session())).toEqual([
    'overview: (record)',
    'compute: (keys)',
    'network: menu.networks(networks routers) menu.access(vpn)',
    'storage: (volumes)',
    'protection: (bin)',
  ])
})

test('shows headings only for several sections, and checks the entry’s permission instead of the page’s', () => {
  const compute = (rights: Case['rights']) =>
    drawn(session({ ...(rights && { rights }) })).find((it) => it.startsWith('compute'))
  expect(compute({})).toBe('compute: (keys)')
  expect(compute({ compute_flavors: ['GET', 'POST'] })).toBe('compute: menu.workloads(keys) menu.cluster(flavors)')
})

test('shows the people and settings groups to operators, with settings last', () => {
  const shown = menuFor(session({ kind: 'system', rights: { settings_notifications: ['GET'] } }))
  expect(shown.map(({ id, isLast }) => [id, isLast]).slice(-2)).toEqual([
    ['people', false],
    ['settings', true],
  ])
})

test('hides a group without visible pages', () => {
  const none = Object.fromEntries(reading.map((name) => [name, []]))
  expect(drawn(session({ rights: none }))).toEqual([])
})

test('in domain mode, shows only the pages marked for it [UI-063]', () => {
  expect(drawn(session({ kind: 'domain' }))).toEqual(['people: menu.accounts(users) menu.records(record)'])
})

test('hides compute pages if there is no compute, and the recycle bin if the engine has none [UI-064]', () => {
  expect(drawn(session({ isComputeThere: false }))).toEqual(['overview: (record)'])
  expect(drawn(session({ isBinThere: false })).join(' ')).not.toContain('bin')
})
