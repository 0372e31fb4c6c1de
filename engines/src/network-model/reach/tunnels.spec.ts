import { describe, expect, test } from 'vitest'
import { explainReach } from './reach'
import { tunnelsOf } from './tunnels'
import { connectionOf, otherEnd } from '../testing/vpn-examples'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../testing/wanted-examples'
import type { WantedNetworks } from '../wanted'

/* A router with two networks, one of which is connected to an office by a tunnel. */

const [east, spare] = [networkOf(['10.40.0.0/24']), networkOf(['10.41.0.0/24'])]
const outside = networkOf(['198.51.100.0/24'], { external: { vlan: null } })
const open = groupOf([...openOut(), {}])
const web = groupOf([...openOut(), { protocol: 'tcp', portMin: 80, portMax: 80, remote: { cidr: '10.30.0.0/24' } }])
const [guest, shut, lone] = [
  portOf(east, 11, { securityGroups: [open.id] }),
  portOf(east, 12, { securityGroups: [web.id] }),
  portOf(spare, 11, { securityGroups: [open.id] }),
]
const router = routerOf([east, spare], { network: outside, at: 11 })
const office = { address: '203.0.113.9', ranges: ['10.30.0.0/24'] }
const tunnel = connectionOf(router, office, { local: ['10.40.0.0/24'] })
const wanted = wantedOf({
  ...{ networks: [outside, east, spare], ports: [guest, shut, lone], routers: [router], groups: [open, web] },
  vpns: [{ routerId: router.id, connections: [tunnel] }],
})

type From = { portId: string } | { address: string }
interface Changed {
  all?: WantedNetworks
  isUp?: boolean
  port?: number
}
const ask = (from: From, address: string, { all = wanted, isUp = true, port = 80 }: Changed = {}) =>
  explainReach(
    all,
    { from, to: { address }, protocol: 'tcp', port },
    tunnelsOf(all, () => isUp),
  )
const at = ({ id }: { id: string }) => ({ portId: id })
const connectionId = tunnel.id

describe('the remote side of a tunnel', () => {
  test('is reachable from the subnets in the tunnel, and the steps name the tunnel', () => {
    const found = ask(at(guest), '10.30.0.11')
    expect(found).toMatchObject({ allowed: true, obstacle: null })
    // no address is translated, and the packet does not pass through the edge
    expect(found.steps.map(({ kind }) => kind)).toEqual(['rule', 'switch', 'tunnel'])
    expect(found.steps.at(-1)).toEqual({
      ...{ kind: 'tunnel', direction: 'egress', connectionId, peer: office.address },
    })
  })

  test('is unreachable while the tunnel is down, and nothing is sent unencrypted', () => {
    expect(ask(at(guest), '10.30.0.11', { isUp: false })).toMatchObject({
      ...{ allowed: false, obstacle: { kind: 'tunnel_down', connectionId } },
    })
  })

  test('is unreachable from a subnet of the router that is not in the tunnel', () => {
    const found = ask(at(lone), '10.30.0.11')
    expect(found).toMatchObject({ allowed: false })
    expect(found.obstacle).toEqual({ kind: 'not_in_tunnel', connectionId, address: '10.41.0.11' })
    // other traffic takes its usual path
    expect(ask(at(lone), '9.9.9.9').steps.at(-1)).toEqual({ kind: 'uplink' })
    expect(ask(at(guest), '9.9.9.9').steps.at(-1)).toEqual({ kind: 'uplink' })
  })

  test('reaches virtual machines through the tunnel if their security groups allow it', () => {
    const peer = { address: '10.30.0.77' }
    const found = ask(peer, '10.40.0.12')
    expect(found).toMatchObject({ allowed: true })
    expect(found.steps.map(({ kind }) => kind)).toEqual(['tunnel', 'route', 'switch', 'rule'])
    expect(found.steps[0]).toMatchObject({ direction: 'ingress', connectionId })
    expect(ask(peer, '10.40.0.12', { port: 22 }).obstacle).toMatchObject({ kind: 'no_rule', direction: 'ingress' })
    expect(ask(peer, '10.40.0.11', { isUp: false }).obstacle).toEqual({ kind: 'tunnel_down', connectionId })
    expect(ask(peer, '10.41.0.11').obstacle).toEqual({ kind: 'not_in_tunnel', connectionId, address: '10.41.0.11' })
    expect(ask(peer, '10.40.0.99').obstacle).toMatchObject({ kind: 'nobody' })
  })

  test('does not include addresses outside all tunnels, so these enter through the edge', () => {
    expect(ask({ address: '9.9.9.9' }, '10.40.0.11').obstacle).toEqual({ kind: 'no_uplink', version: 4 })
  })

  test("enters through the target's router if two tenants have the same ranges", () => {
    const twin = networkOf(['10.40.0.0/24'])
    const theirs = portOf(twin, 11, { securityGroups: [open.id] })
    const other = routerOf([twin], { network: outside, at: 12 })
    const second = connectionOf(other, office)
    const all = {
      ...{ ...wanted, networks: [...wanted.networks, twin], ports: [...wanted.ports, theirs] },
      routers: [...wanted.routers, other],
      vpns: [...wanted.vpns, { routerId: other.id, connections: [second] }],
    }
    const question = { from: { address: '10.30.0.77' }, to: at(theirs), protocol: 'tcp' as const, port: 22 }
    expect(explainReach(all, question).steps[0]).toMatchObject({ kind: 'tunnel', connectionId: second.id })
  })
})

test('follows the path to the virtual machine at the other end if both routers are on this host', () => {
  const west = networkOf(['10.30.0.0/24'])
  const far = portOf(west, 11, { securityGroups: [web.id] })
  const right = routerOf([west], { network: outside, at: 12 })
  const ours = connectionOf(router, { address: '198.51.100.12', ranges: ['10.30.0.0/24'] }, { local: ['10.40.0.0/24'] })
  const theirs = otherEnd(right, router, ours)
  const all = wantedOf({
    ...wanted,
    ...{ networks: [...wanted.networks, west], ports: [...wanted.ports, far], routers: [router, right] },
    groups: [open, groupOf([...openOut(), { protocol: 'tcp', remote: { cidr: '10.40.0.0/24' } }], web.id)],
    vpns: [
      { routerId: router.id, connections: [ours] },
      { routerId: right.id, connections: [theirs] },
    ],
  })
  const found = ask(at(guest), '10.30.0.11', { all })
  expect(found).toMatchObject({ allowed: true, obstacle: null })
  expect(found.steps.map(({ kind }) => kind)).toEqual([
    ...['rule', 'switch', 'tunnel', 'tunnel', 'route', 'switch', 'rule'],
  ])
  expect(ask(at(guest), '10.30.0.99', { all }).obstacle).toMatchObject({ kind: 'nobody' })
  const isDown = { ...all, routers: [router, { ...right, up: false }] }
  expect(ask(at(guest), '10.30.0.11', { all: isDown }).obstacle).toEqual({ kind: 'router_down', routerId: right.id })
})
