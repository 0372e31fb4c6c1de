import { expect, test } from 'vitest'
import { explainReach } from './reach'
import {
  floatingOf,
  groupOf,
  networkOf,
  openOut,
  portOf,
  routerOf,
  subnetOf,
  wantedOf,
} from '../testing/wanted-examples'
import type { WantedNetworks } from '../wanted'

const [left, right, alone] = [
  networkOf(['10.0.0.0/24']),
  networkOf(['10.1.0.0/24']),
  networkOf([subnetOf('10.2.0.0/24', { gateway: null })]),
]
const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
const web = groupOf([...openOut(), { protocol: 'tcp', portMin: 80, portMax: 80 }])
const [a, b, c, d] = [
  portOf(left, 11, { securityGroups: [web.id] }),
  portOf(left, 12, { securityGroups: [web.id] }),
  portOf(right, 13, { securityGroups: [web.id] }),
  portOf(alone, 14, { securityGroups: [web.id] }),
]
const router = routerOf([left, right], { network: external, at: 10 })
const floating = floatingOf('203.0.113.50', router, b)
const wanted = wantedOf({
  networks: [left, right, alone, external],
  ports: [a, b, c, d],
  routers: [router],
  groups: [web],
  floating: [floating],
})

const ask = (from: { id: string } | 'outside', to: string | { id: string }, port = 80, of: WantedNetworks = wanted) =>
  explainReach(of, {
    from: from === 'outside' ? from : { portId: from.id },
    to: typeof to === 'string' ? { address: to } : { portId: to.id },
    ...{ protocol: 'tcp', port },
  })

test('names the rule that allows a connection, or the rule that is missing', () => {
  expect(ask(a, b)).toMatchObject({ allowed: true, obstacle: null })
  expect(ask(a, b).steps).toContainEqual({
    kind: 'rule',
    direction: 'ingress',
    portId: b.id,
    groupId: web.id,
    ruleId: web.rules[2]!.id,
  })
  expect(ask(a, b, 81).obstacle).toEqual({
    ...{ kind: 'no_rule', direction: 'ingress', portId: b.id, groupIds: [web.id] },
    missing: { version: 4, protocol: 'tcp', port: 81 },
  })
})

test('follows a path through routers, address translation and the uplink', () => {
  expect(ask(a, c).steps.map(({ kind }) => kind)).toEqual(['rule', 'switch', 'route', 'switch', 'rule'])
  expect(ask(c, '203.0.113.50').steps.map(({ kind }) => kind)).toEqual([
    'rule',
    'switch',
    'dnat',
    'route',
    'snat',
    'switch',
    'rule',
  ])
  expect(ask(a, '192.0.2.1').steps.at(-1)).toEqual({ kind: 'uplink' })
  expect(ask('outside', '203.0.113.50')).toMatchObject({ allowed: true })
})

test('a router that is down forwards nothing, but still responds on its own addresses', () => {
  const down = { ...wanted, routers: [{ ...router, up: false }] }
  const question = { from: { portId: a.id }, protocol: 'icmp', port: null } as const
  const [own] = router.interfaces[0]!.addresses
  expect(explainReach(down, { ...question, to: { address: own!.split('/')[0]! } })).toMatchObject({ allowed: true })
  expect(ask(a, c, 80, down).obstacle?.kind).toBe('router_down')
})

test("sends a router's own response along its routes, so it is lost in another network with the same range", () => {
  const other = networkOf(['10.0.0.0/24'])
  const question = { from: { portId: a.id }, to: { address: '203.0.113.11' }, protocol: 'icmp', port: null } as const
  const asked = (own: (typeof wanted.networks)[number], snat: boolean) => {
    const near = routerOf([left], { network: external, at: 10, snat })
    const far = routerOf([own], { network: external, at: 11 })
    const networks = [...wanted.networks, other]
    return explainReach({ ...wanted, networks, routers: [near, far], floating: [] }, question)
  }
  expect(asked(other, true)).toMatchObject({ allowed: true, obstacle: null })
  expect(asked(other, false).obstacle).toEqual({ kind: 'no_way_back', at: external.id })
  // external networks have no route to networks behind a router without SNAT either
  expect(asked(right, false).obstacle).toEqual({ kind: 'no_way_back', at: external.id })
})

test('reports each obstacle with its own kind', () => {
  const changed = (change: Partial<WantedNetworks>) => ({ ...wanted, ...change })
  const obstacle = (...words: Parameters<typeof ask>) => ask(...words).obstacle?.kind
  expect(obstacle(d, c)).toBe('no_gateway')
  expect(obstacle(a, '10.0.0.99')).toBe('nobody')
  expect(obstacle(a, d)).toBe(undefined)
  expect(obstacle({ id: 'nobody' }, c)).toBe('unknown_port')
  expect(obstacle(a, c, 80, changed({ routers: [{ ...router, up: false }] }))).toBe('router_down')
  expect(obstacle(a, c, 80, changed({ routers: [], floating: [] }))).toBe('gateway_unanswered')
  expect(obstacle(a, c, 80, changed({ networks: [left, { ...right, up: false }, alone, external] }))).toBe(
    'network_down',
  )
  expect(obstacle(a, b, 80, changed({ ports: [a, { ...b, up: false }, c, d] }))).toBe('port_down')
  const noGateway = { ...right, subnets: [{ ...right.subnets[0]!, gateway: null }] }
  expect(obstacle(a, c, 80, changed({ networks: [left, noGateway, alone, external] }))).toBe('no_way_back')
  expect(obstacle(a, '10.0.0.1')).toBe('not_served')
  const noWay = routerOf([left], null)
  expect(obstacle(a, c, 80, changed({ routers: [noWay], floating: [] }))).toBe('no_route')
})
