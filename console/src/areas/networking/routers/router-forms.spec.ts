import { beforeAll, expect, test } from 'vitest'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { interfaceFaults, proposedNetwork, routerDraft } from './router-form'
import { routeForm, routesWith } from './route-form'
import { destinationOf, routeId } from './router-words'

beforeAll(() => loadTexts('networking'))

const known = [
  { id: 's1', network_id: 'front', network_name: 'front', cidr: '10.0.0.0/24' },
  { id: 's2', network_id: 'back', network_name: 'back', cidr: '10.0.1.0/24' },
  { id: 's3', network_id: 'clash', network_name: 'clash', cidr: '10.0.0.128/25' },
]
const connected = [{ ...known[0]!, addresses: ['10.0.0.1'] }]

test('refuses networks that overlap or are already connected', () => {
  const of = (...ids: (string | null)[]) =>
    interfaceFaults(
      ids.map((network_id) => ({ network_id, ip_address: '' })),
      known,
      connected,
      textsNow('networking'),
    ).map(({ at, field }) => `${at} ${field}`)
  expect(of('back')).toEqual([])
  expect(of('front')).toEqual(['0 network_id'])
  expect(of('clash')).toEqual(['0 network_id'])
  expect(of('back', 'back', null)).toEqual(['1 network_id', '2 network_id'])
})

test('preselects a network that can be connected in addition to the selected ones', () => {
  const choice = (id: string) => ({ id, subnets: known.filter(({ network_id }) => network_id === id) })
  const all = ['unmanaged', 'clash', 'front', 'back'].map(choice)
  const next = (...ids: string[]) =>
    proposedNetwork(
      all,
      ids.map((network_id) => ({ network_id, ip_address: '' })),
      known,
      textsNow('networking'),
    )?.id
  expect(next()).toBe('clash')
  expect(next('front')).toBe('back')
  expect(next('front', 'back')).toBeUndefined()
})

test('sends no gateway for a router without an external network', () => {
  const form = { name: 'edge', external: null, snat: true, interfaces: [{ network_id: 'front', ip_address: ' ' }] }
  expect(routerDraft(form)).toEqual({
    ...{ name: 'edge', external_gateway_info: null, internal_interfaces: [{ network_id: 'front' }] },
  })
})

test("requires a next hop that is in one of the router's networks and is not the router itself", () => {
  const faults = (destination: string, nexthop: string, edited: string | null = null) => {
    const routes = [{ destination: '10.9.0.0/16', nexthop: '10.0.0.9' }]
    const parsed = routeForm(textsNow('networking'), { routes, edited, connected }).safeParse({ destination, nexthop })
    return parsed.error?.issues.map(({ path }) => path[0]) ?? []
  }
  expect(faults('10.30.0.0/16', '10.0.0.5')).toEqual([])
  expect(faults('10.30.0.0/16', '10.0.5.5')).toEqual(['nexthop'])
  expect(faults('10.30.0.0/16', '10.0.0.1')).toEqual(['nexthop'])
  expect(faults('', 'x')).toEqual(['destination', 'nexthop'])
  // destinations must be unique, but the route being edited may keep its own
  expect(faults('10.9.0.0/16', '10.0.0.5')).toEqual(['destination'])
  expect(faults('10.9.0.0/16', '10.0.0.5', '10.9.0.0/16')).toEqual([])
})

test('finds a route by its destination', () => {
  const routes = [{ destination: '10.9.0.0/16', nexthop: '10.0.0.9' }]
  expect(destinationOf(routeId('10.9.0.0/16'))).toBe('10.9.0.0/16')
  const changed = { destination: '10.8.0.0/16', nexthop: '10.0.0.8' }
  expect(routesWith(routes, '10.9.0.0/16', changed)).toEqual([changed])
  expect(routesWith(routes, '10.9.0.0/16', null)).toEqual([])
  expect(routesWith(routes, null, changed)).toEqual([...routes, changed])
})
