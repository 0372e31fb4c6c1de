import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { balancerSpaceOf } from '../../network-model/names'
import { balancerOf, memberOf, monitorOf, poolOf } from '../../network-model/testing/balancer-examples'
import { counted, requests, steadily, udpAsk, webServer } from './testing/balancer-traffic'
import { createSampleNetworks, openBed, processesHere, type Bed } from './testing/bed'
import { modes } from './testing/driver-process'
import {
  floatingOf,
  groupOf,
  networkOf,
  openOut,
  portOf,
  routerOf,
  subnetOf,
  wantedOf,
} from '../../network-model/testing/wanted-examples'
import type { WantedNetworks, WantedPort } from '../../network-model/wanted'
import type { MemberReport, WantedBalancer } from '../../network-model/wanted-balancers'

/* Real load balancers in a capsule, with real traffic. Members and clients run in namespaces. */

function topology() {
  const [left, right, other] = [networkOf(['10.0.0.0/24']), networkOf(['10.1.0.0/24']), networkOf(['10.0.0.0/24'])]
  const external = networkOf([subnetOf('203.0.113.0/24', { serviceAddress: null, dhcp: false })], {
    external: { vlan: null },
  })
  const open = groupOf([...openOut(), {}, { version: 6 }])
  const closed = groupOf(openOut())
  const [a, b, far] = [portOf(left, 11), portOf(left, 12), portOf(right, 13)]
  const [client, stranger, shut] = [portOf(left, 20), portOf(other, 20), portOf(left, 14)]
  for (const port of [a, b, far, client, stranger]) port.securityGroups = [open.id]
  shut.securityGroups = [closed.id]
  const router = routerOf([left, right], { network: external, at: 10 })
  const members = {
    a: memberOf('10.0.0.11'),
    b: memberOf('10.0.0.12'),
    far: memberOf('10.1.0.13'),
    shut: memberOf('10.0.0.14'),
  }
  const http = poolOf({
    ...{ members: [members.a, members.b, members.far, members.shut], monitor: monitorOf('http') },
    headers: ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'],
  })
  const tcp = poolOf({
    mode: 'tcp',
    port: 7001,
    memberPort: 7000,
    proxyProtocol: true,
    members: [memberOf('10.0.0.11')],
  })
  const udp = poolOf({
    ...{ mode: 'udp', port: 53, memberPort: 9090, monitor: monitorOf('udp') },
    members: [memberOf('10.0.0.11'), memberOf('10.0.0.12')],
  })
  const guarded = poolOf({ port: 81, members: [memberOf('10.0.0.11')], allowedCidrs: ['10.0.0.0/28', '10.0.0.5/32'] })
  const { balancer, port } = balancerOf(left, 100, [http, tcp, udp, guarded])
  const floating = floatingOf('203.0.113.60', router, port)
  const wanted = wantedOf({
    networks: [left, right, other, external],
    ports: [a, b, far, client, stranger, shut, port],
    ...{ routers: [router], groups: [open, closed], floating: [floating], balancers: [balancer] },
  })
  return { wanted, balancer, http, udp, members, a, b, far, client, stranger }
}

describe.each(modes)('load balancers (rootless: $rootless)', ({ rootless }) => {
  const test = rootless ? testOn('networks') : testOn('root', 'networks')
  let bed: Bed
  const it = topology()
  const { wanted, balancer, members, a, b, far, client, stranger } = it
  const pids = new Map<string, string>()
  const from = (port: WantedPort, script: string) => bed.from(port.id, script).then((said) => said.trim())
  const reports = async () => (await bed.calls.balancers()).get(balancer.id)?.members ?? new Map<string, MemberReport>()
  /** Waits until a member reaches the given health status. */
  async function until(id: string, health: MemberReport['health'], withinMs = 15_000): Promise<MemberReport> {
    for (const end = Date.now() + withinMs; ;) {
      const report = (await reports()).get(id)
      if (report?.health === health) return report
      if (Date.now() > end) throw new Error(`${id} did not become ${health}: ${JSON.stringify(report)}`)
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const with_ = (change: (balancer: WantedBalancer) => WantedBalancer): WantedNetworks => ({
    ...wanted,
    balancers: [change(balancer)],
  })

  beforeAll(async () => {
    bed = await openBed({ rootless })
    expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
    const applied = await bed.calls.apply(wanted)
    expect([...applied.balancers, ...applied.networks]).toEqual([])
    for (const { id, owner } of wanted.ports) if (owner === 'instance') await bed.calls.plug(id)
    await createSampleNetworks(bed, wanted)
    for (const [name, port] of Object.entries({ a, b, far })) pids.set(name, await from(port, webServer(name)))
  })
  afterAll(async () => {
    for (const pid of pids.values()) process.kill(Number(pid.split('\n').at(-1)), 'SIGKILL')
    await bed.end()
  })

  test('distribute requests to all healthy members, directly and through a router, and report why others are down', async () => {
    await until(members.shut.id, 'down')
    for (const { id } of [members.a, members.b, members.far]) await until(id, 'up')
    // a member that has just come up joins the round robin mid-round, so count only the next round
    expect(Object.keys(counted(await from(client, requests('http://10.0.0.100/', 12)))).toSorted()).toEqual([
      ...['a', 'b', 'far'],
    ])
    expect(counted(await from(client, requests('http://10.0.0.100/', 12)))).toEqual({ a: 4, b: 4, far: 4 })
    expect(counted(await bed.run('edge', requests('http://203.0.113.60/', 6)))).toEqual({ a: 2, b: 2, far: 2 })
    expect((await reports()).get(members.shut.id)).toEqual({ health: 'down', check: 'L4TOUT', code: null })
    const seen = await from(client, `curl -s -D - -o /dev/null http://10.0.0.100/ | grep -i x-seen`)
    expect(JSON.parse(seen.slice(seen.indexOf('{')))).toMatchObject({
      ...{ 'x-forwarded-for': '10.0.0.20', 'x-forwarded-port': '80', 'x-forwarded-proto': 'http' },
    })
  })

  test('forward TCP with the PROXY protocol, and UDP in round robin', async () => {
    const said = await from(client, `exec 3<>/dev/tcp/10.0.0.100/7001; echo hello >&3; timeout 3 cat <&3`)
    expect(said).toMatch(/^a .{7}QUIT/)
    expect(counted(await from(client, udpAsk('10.0.0.100', 53, 8)))).toEqual({ a: 4, b: 4 })
    expect(counted(await bed.run('edge', udpAsk('203.0.113.60', 53, 4)))).toEqual({ a: 2, b: 2 })
  })

  test('accept only clients in the allowed source ranges, and none from another tenant', async () => {
    expect(await from(client, requests('http://10.0.0.100:81/', 1, '-m 1'))).toBe('failed')
    expect(await from(a, requests('http://10.0.0.100:81/', 1))).toBe('a')
    expect(await from(stranger, requests('http://10.0.0.100/', 1, '-m 1'))).toBe('failed')
    const all = with_((it) => ({ ...it, pools: it.pools.map((pool) => ({ ...pool, allowedCidrs: ['0.0.0.0/0'] })) }))
    expect((await bed.calls.apply(all)).balancers.size).toBe(0)
    expect(await from(client, requests('http://10.0.0.100:81/', 1))).toBe('a')
    await bed.calls.apply(wanted)
    // the load balancer does not route packets for other hosts
    await from(client, 'ip route add 10.1.0.0/24 via 10.0.0.100')
    expect(await from(client, requests('http://10.1.0.13:8080/', 1, '-m 1'))).toBe('failed')
    await from(client, 'ip route del 10.1.0.0/24')
  })

  test('lose no requests while members and settings change', async () => {
    const stopFile = join(bed.folder, 'enough')
    const load = from(client, steadily('10.0.0.100', 20, stopFile))
    for (let at = 0; at < 30; at++) {
      const some = at % 2 === 0 ? [members.a, members.far] : [members.a, { ...members.b, weight: 1 + (at % 5) }]
      const limit = at % 3 === 0 ? 1000 + at : null
      const applied = await bed.calls.apply(
        with_((it) => ({
          ...it,
          pools: it.pools.map((pool) =>
            pool.id === it.pools[0]!.id ? { ...pool, members: some, connectionLimit: limit } : pool,
          ),
        })),
      )
      expect([...applied.balancers.values()]).toEqual([])
      await new Promise((done) => setTimeout(done, 150))
    }
    writeFileSync(stopFile, '')
    const result = JSON.parse((await load).split('\n').at(-1)!) as { good: number; bad: string[]; sent: number }
    expect(result.bad).toEqual([])
    expect(result.good).toBe(result.sent)
    await bed.calls.apply(wanted)
  })

  test('recover after kill -9 of HAProxy and of the server', async () => {
    const space = balancerSpaceOf(balancer.amphoraIds[0]!)
    const own = (await bed.run(space, processesHere('haproxy'))).trim().split('\n')
    expect(own.length).toBeGreaterThanOrEqual(2)
    await bed.run(space, `kill -9 ${own.join(' ')}`)
    await bed.look()
    await until(members.a.id, 'up')
    expect(counted(await from(client, requests('http://10.0.0.100/', 3)))).not.toHaveProperty('failed')
    await bed.killServer()
    expect(await from(client, requests('http://10.0.0.100/', 1))).not.toBe('failed')
    expect((await bed.calls.apply(wanted)).balancers.size).toBe(0)
    await until(members.b.id, 'up')
    expect(counted(await from(client, requests('http://10.0.0.100/', 3)))).not.toHaveProperty('failed')
  })

  test('take a dead member out of rotation as soon as its health check detects it', async () => {
    await from(b, 'ip link set dev eth0 down')
    const begun = Date.now()
    await until(members.b.id, 'down')
    // two failed checks one second apart, the last of which times out after a second
    expect(Date.now() - begun).toBeLessThan(4500)
    const dead = it.udp.members[1]!
    await until(dead.id, 'down')
    await bed.calls.apply(
      with_((known) => ({
        ...known,
        pools: known.pools.map((pool) =>
          pool.mode === 'udp' ? { ...pool, members: [pool.members[0]!], down: [dead] } : pool,
        ),
      })),
    )
    expect(counted(await from(client, udpAsk('10.0.0.100', 53, 4)))).toEqual({ a: 4 })
    expect(counted(await from(client, requests('http://10.0.0.100/', 4)))).toEqual({ a: 2, far: 2 })
  })
})
