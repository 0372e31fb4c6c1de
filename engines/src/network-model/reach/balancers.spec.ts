import { expect, test } from 'vitest'
import { explainReach } from './reach'
import { balancerOf, memberOf, poolOf } from '../testing/balancer-examples'
import { floatingOf, groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../testing/wanted-examples'

const [left, right] = [networkOf(['10.0.0.0/24']), networkOf(['10.1.0.0/24'])]
const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
const closed = groupOf(openOut())
const open = groupOf([...openOut(), { protocol: 'tcp' }])
const [client, good, shut] = [
  portOf(left, 20, { securityGroups: [open.id] }),
  portOf(right, 11, { securityGroups: [open.id] }),
  portOf(right, 12, { securityGroups: [closed.id] }),
]
const members = { good: memberOf('10.1.0.11'), shut: memberOf('10.1.0.12') }
const { balancer, port } = balancerOf(left, 100, [
  poolOf({ port: 80, memberPort: 8080, members: [members.shut, members.good] }),
  poolOf({ port: 81, memberPort: 8080, members: [members.shut] }),
  poolOf({ port: 82, members: [members.good], allowedCidrs: ['10.0.0.0/28'] }),
  poolOf({ port: 83 }),
  poolOf({ mode: 'udp', port: 53, memberPort: 53, members: [members.good] }),
])
const router = routerOf([left, right], { network: external, at: 10 })
const wanted = wantedOf({
  networks: [left, right, external],
  ports: [client, good, shut, port],
  ...{ routers: [router], groups: [open, closed], balancers: [balancer] },
  floating: [floatingOf('203.0.113.60', router, port)],
})
const ask = (
  asked: number,
  protocol: 'tcp' | 'udp' = 'tcp',
  from: { portId: string } | 'outside' = { portId: client.id },
) =>
  explainReach(wanted, {
    from,
    to: { address: from === 'outside' ? '203.0.113.60' : '10.0.0.100' },
    ...{ protocol, port: asked },
  })

test('follows a connection through a load balancer, or its floating IP, to the first reachable member', () => {
  const passes = [
    { kind: 'balancer', balancerId: balancer.id, member: '10.1.0.11' },
    expect.objectContaining({ kind: 'rule', direction: 'ingress', portId: good.id, groupId: open.id }),
  ]
  for (const found of [ask(80), ask(80, 'tcp', 'outside')]) {
    expect(found).toMatchObject({ allowed: true, obstacle: null })
    expect(found.steps).toEqual(expect.arrayContaining(passes))
  }
})

test('reports the obstacle: member security group, allowed source ranges, closed port, or no member', () => {
  const balancerId = balancer.id
  expect(ask(81)).toMatchObject({
    allowed: false,
    obstacle: { kind: 'no_rule', direction: 'ingress', portId: shut.id, groupIds: [closed.id] },
  })
  expect(ask(82).obstacle).toEqual({ kind: 'balancer_refuses', balancerId, address: '10.0.0.20' })
  expect(ask(83).obstacle).toEqual({ kind: 'no_member', balancerId })
  expect(ask(84).obstacle).toEqual({ kind: 'balancer_closed', balancerId })
  expect(ask(80, 'udp').obstacle).toEqual({ kind: 'balancer_closed', balancerId })
  // the members' security groups allow only TCP
  expect(ask(53, 'udp').obstacle).toMatchObject({ kind: 'no_rule', portId: good.id })
  const off = { ...wanted, balancers: [{ ...balancer, up: false }] }
  expect(
    explainReach(off, { from: { portId: client.id }, to: { address: '10.0.0.100' }, protocol: 'tcp', port: 80 })
      .obstacle,
  ).toEqual({ kind: 'balancer_closed', balancerId })
})
