import { describe, expect, test } from 'vitest'
import { explainFromOutside } from './outside'
import { balancerOf, memberOf, poolOf } from '../testing/balancer-examples'
import { floatingOf, groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../testing/wanted-examples'
import type { WantedNetworks } from '../wanted'

const inner = networkOf(['10.0.0.0/24'])
const twin = networkOf(['10.0.0.0/24'])
const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
const nat = networkOf(['10.20.0.0/16'], { nat: true })
const web = groupOf([...openOut(), { protocol: 'tcp', portMin: 80, portMax: 80 }])
const closed = groupOf(openOut())
const [open, shut] = [{ securityGroups: [web.id] }, { securityGroups: [closed.id] }]
const router = routerOf([inner], { network: external, at: 10 })

const away = { ...routerOf([inner], { network: external, at: 11 }), up: false }

/** The target, with security groups that allow or refuse the connection. */
const web1 = portOf(inner, 11, open)
const refusing = { ...web1, ...shut }
const other = portOf(inner, 12, open)
const direct = portOf(external, 20, open)
const natted = portOf(nat, 13, open)
const namesake = portOf(twin, 11, open)
const floating = floatingOf('203.0.113.50', router, web1)

const { balancer, port: vip } = balancerOf(inner, 100, [
  poolOf({ port: 8000, memberPort: 80, members: [memberOf('10.0.0.12'), memberOf('10.0.0.11')] }),
])
const base = { networks: [inner, twin, external, nat], routers: [router], groups: [web, closed] }
const others = [other, direct, natted, namesake]
const balanced = {
  ...{ ports: [web1, ...others, vip], balancers: [balancer] },
  floating: [floatingOf('203.0.113.60', router, vip)],
}

interface Case {
  what: string
  has: Partial<WantedNetworks>
  to?: { id: string }
  port?: number
  /** The address and port that an outside client connects to; null if there is none. */
  way: string | null
  /** Null if the connection is allowed. */
  obstacle: string | null
  /** Port of the missing rule. */
  missing?: number
}

describe('an outside client reaches a virtual machine', () => {
  test.for<Case>([
    {
      ...{ what: 'through its floating IP, if a rule allows it', has: { ports: [web1], floating: [floating] } },
      ...{ way: '203.0.113.50:80', obstacle: null },
    },
    {
      ...{ what: 'not through its floating IP without a rule', has: { ports: [refusing], floating: [floating] } },
      ...{ way: '203.0.113.50:80', obstacle: 'no_rule' },
    },
    {
      ...{ what: 'not on a port without a rule', has: { ports: [web1], floating: [floating] } },
      ...{ port: 22, way: '203.0.113.50:22', obstacle: 'no_rule', missing: 22 },
    },
    {
      what: 'through another path, if the router of its floating IP is down',
      has: {
        ...{ ...balanced, routers: [router, away] },
        floating: [floatingOf('203.0.113.51', away, web1), ...balanced.floating],
      },
      ...{ way: '203.0.113.60:8000', obstacle: null },
    },
    {
      ...{ what: 'through a load balancer that it is a member of', has: balanced },
      ...{ way: '203.0.113.60:8000', obstacle: null },
    },
    {
      ...{ what: 'not through a load balancer, if its security groups refuse it', way: '203.0.113.60:8000' },
      ...{ has: { ...balanced, ports: [refusing, ...others, vip] }, obstacle: 'no_rule', missing: 80 },
    },
    {
      what: 'not through a load balancer that forwards to another port',
      ...{ has: balanced, port: 81, way: null, obstacle: 'no_outside_address' },
    },
    {
      what: 'not through a load balancer without a floating IP',
      ...{ has: { ...balanced, floating: [] }, way: null, obstacle: 'no_outside_address' },
    },
    {
      what: 'not through a load balancer whose member is another port with the same address',
      ...{ has: balanced, to: namesake, way: null, obstacle: 'no_outside_address' },
    },
    {
      ...{ what: 'at its own address in an external network', has: { ports: [direct] }, to: direct },
      ...{ way: '203.0.113.20:80', obstacle: null },
    },
    {
      ...{ what: 'not without a floating IP or load balancer', has: { ports: [web1] } },
      ...{ way: null, obstacle: 'no_outside_address' },
    },
    {
      ...{ what: 'not in the default network', has: { ports: [natted] }, to: natted },
      ...{ way: null, obstacle: 'no_outside_address' },
    },
  ])('$what', ({ has, to = web1, port = 80, way, obstacle, missing }) => {
    for (const from of ['outside', { address: '192.0.2.1' }] as const) {
      const question = { from, to: { portId: to.id }, protocol: 'tcp', port } as const
      const found = explainFromOutside(wantedOf({ ...base, ...has }), question)
      expect(found).toMatchObject({ question, allowed: obstacle === null })
      expect(found.obstacle?.kind ?? null).toBe(obstacle)
      if (missing) expect(found.obstacle).toMatchObject({ missing: { version: 4, protocol: 'tcp', port: missing } })
      expect(found.way && `${found.way.address}:${found.way.port}`).toBe(way)
    }
  })

  test('by pinging its floating IP, but not by pinging its load balancer, which replies itself', () => {
    const pinged = groupOf([...openOut(), { protocol: 'icmp' }])
    const question = { from: 'outside', to: { portId: web1.id }, protocol: 'icmp', port: null } as const
    const ports = [{ ...web1, securityGroups: [pinged.id] }, vip]
    const asked = (has: Partial<WantedNetworks>) =>
      explainFromOutside(wantedOf({ ...base, groups: [pinged], ports, ...has }), question)
    expect(asked({ floating: [floating] })).toMatchObject({
      allowed: true,
      way: { address: '203.0.113.50', port: null },
    })
    expect(asked({ ...balanced, ports }).obstacle?.kind).toBe('no_outside_address')
  })

  test('through the tunnel, if the client is behind the peer of a VPN connection', () => {
    const tunnel = {
      ...{ id: 'office', routerId: router.id, localAddress: '203.0.113.10', peerAddress: '198.51.100.1' },
      ...{ local: ['10.0.0.0/24'], remote: ['172.16.0.0/24'], isUp: true },
    }
    const wanted = wantedOf({ ...base, ports: [web1] })
    const asked = (address: string, isUp = true) =>
      explainFromOutside(wanted, { from: { address }, to: { portId: web1.id }, protocol: 'tcp', port: 80 }, [
        { ...tunnel, isUp },
      ])
    expect(asked('172.16.0.9')).toMatchObject({ allowed: true, way: null })
    expect(asked('172.16.0.9', false).obstacle?.kind).toBe('tunnel_down')
    expect(asked('172.17.0.9').obstacle?.kind).toBe('no_outside_address')
  })
})
