import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { explainReach } from '../../network-model/reach/reach'
import { openAnotherHost, type AnotherHost } from './testing/another-host'
import { createSampleNetworks, openBed, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../../network-model/testing/wanted-examples'

/*
 * Two tenants with the same IPv6 addresses, and their access to the outside, on a host that runs in separate
 * namespaces.
 */

const external = networkOf(['203.0.113.0/24', '2001:db8:5::/64'], { external: { vlan: null } })
const [left, right] = [networkOf(['10.0.0.0/24', 'fd00:a::/64']), networkOf(['10.0.0.0/24', 'fd00:a::/64'])]
const [open, closed] = [groupOf([...openOut(), { version: 6 }]), groupOf([{ version: 6 }])]
const [a, b] = [portOf(left, 11, { securityGroups: [open.id] }), portOf(right, 11, { securityGroups: [open.id] })]
const routers = [routerOf([left], { network: external, at: 10 }), routerOf([right], { network: external, at: 11 })]
const wanted = wantedOf({ networks: [left, right, external], ports: [a, b], groups: [open, closed], routers })

/** Prints a TCP server's response, or nothing if the connection is refused or times out. */
const ask = (address: string, seconds = 4) =>
  `timeout ${seconds} bash -c 'exec 3<>/dev/tcp/${address}/8080 && cat <&3' 2>/dev/null`
const patience = 60

describe('guests’ IPv6 traffic', needs('root', 'IPv6', 'networks'), () => {
  let host: AnotherHost
  let bed: Bed
  const from = (port: { id: string }, script: string) => bed.from(port.id, script).then((said) => said.trim())

  beforeAll(async () => {
    host = await openAnotherHost()
    bed = await openBed({ rootless: true, host: host.words })
    expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
    await bed.calls.apply(wanted)
    for (const { id } of [a, b]) await bed.calls.plug(id)
    await createSampleNetworks(bed, wanted)
  })
  afterAll(async () => {
    await bed.end()
    host.end()
  })

  test('leaves through routers as connections from the host, even if tenants use the same addresses', async () => {
    for (const guest of [a, b]) expect(await from(guest, ask(host.neighbour, patience))).toBe(`internet ${host.own}`)
    const question = { from: { portId: a.id }, to: { address: host.neighbour }, protocol: 'tcp', port: 8080 } as const
    expect(explainReach(wanted, question)).toMatchObject({ allowed: true })
    expect(explainReach(wanted, question).steps.slice(-3)).toEqual([
      { kind: 'switch', networkId: external.id },
      { kind: 'edge', networkId: external.id },
      { kind: 'uplink' },
    ])
  })

  test('does not reach the host at any of its addresses', async () => {
    const more = '2001:db8:78::1'
    await host.run(`ip address add ${more}/64 dev h0 nodad`)
    await bed.look()
    // addresses of slirp4netns, and the IPv4 loopback as 6to4, NAT64 and IPv4-mapped addresses
    const others = ['fd00::2', 'fd00::3', 'fd00::100', '2002:7f00:1::', '64:ff9b::7f00:1', '::ffff:127.0.0.1']
    for (const address of [host.own, more, ...others])
      expect([address, await from(a, ask(address))]).toEqual([address, ''])
    expect(await host.run(ask(more, patience))).toBe(`host ${more}`)
    expect(await from(a, ask(host.neighbour, patience))).toBe(`internet ${host.own}`)
  })

  test('is not admitted from the external network unless source NAT is disabled', async () => {
    const enter = `ip -6 route replace fd00:a::/64 via 2001:db8:5::10 && ping -n -c 1 -W 2 fd00:a::11 >/dev/null && echo answered; ip -6 route del fd00:a::/64`
    expect(await bed.run('edge', enter)).toBe('')
    // a router without source NAT admits all traffic that security groups allow
    const routed = { ...routers[0]!, gateway: { ...routers[0]!.gateway!, snatSix: false } }
    await bed.calls.apply({ ...wanted, routers: [routed, routers[1]!] })
    expect((await bed.run('edge', enter)).trim()).toBe('answered')
    await bed.calls.apply(wanted)
  })

  test('follows security groups, and recovers after slirp4netns is killed', async () => {
    await bed.calls.apply({ ...wanted, ports: [{ ...a, securityGroups: [closed.id] }, b] })
    expect(await from(a, ask(host.neighbour))).toBe('')
    await bed.calls.apply(wanted)
    process.kill((await bed.pids()).slirp, 'SIGKILL')
    await expect.poll(() => from(a, ask(host.neighbour))).toBe(`internet ${host.own}`)
  })
})
