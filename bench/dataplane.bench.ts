import process from 'node:process'
import { guestSpaceOf } from '@mainstay/engines/network-model/names'
import { createSampleNetworks, openBed, type Bed } from '@mainstay/engines/embedded/dataplane/testing/bed'
import {
  floatingOf,
  groupOf,
  networkOf,
  openOut,
  portOf,
  routerOf,
  subnetOf,
  wantedOf,
} from '@mainstay/engines/network-model/testing/wanted-examples'
import type { WantedNetworks } from '@mainstay/engines/network-model/wanted'
import { quantile, type Row } from './protocol'
import { quick } from './support/quick'

/**
 * Measures networking on a single host: throughput compared with a plain bridge in the same capsule, and the time it
 * takes to apply changes.
 */

const rounds = quick ? 2 : 5
const megabytes = 512
const [manyNetworks, manyPorts] = [200, 1000]

const sink = `'${process.execPath}' -e "const server = require('net').createServer((s) => { s.on('data', () => 0).on('end', () => { s.end('x'); server.close() }) }).listen(7000, '0.0.0.0')"`
const source = (address: string) =>
  `sleep 0.4; '${process.execPath}' -e "const s = require('net').connect(7000, '${address}'); const part = Buffer.alloc(1048576); let left = ${megabytes}; let begun; const more = () => { while (left > 0) { left--; if (!s.write(part)) return } s.end() }; s.on('connect', () => { begun = performance.now(); more() }).on('drain', more).on('data', () => process.stdout.write(String(performance.now() - begun)))"`

/** Transfers `megabytes` and returns how long it took. */
async function seconds(bed: Bed, from: string, to: string, address: string): Promise<number> {
  const serving = bed.run(to, sink)
  const took = Number(await bed.run(from, source(address)))
  await serving
  if (!(took > 0)) throw new Error(`no data arrived at ${address}`)
  return took / 1000
}

async function passing(): Promise<Row[]> {
  const bed = await openBed({ rootless: true })
  try {
    const [left, right] = [networkOf(['10.0.0.0/24']), networkOf(['10.1.0.0/24'])]
    const external = networkOf([subnetOf('203.0.113.0/24', { serviceAddress: null, dhcp: false })], {
      external: { vlan: null },
    })
    const group = groupOf([...openOut(), { protocol: 'tcp' }])
    const open = { spoofingProtection: false, securityGroups: [] }
    const closed = { securityGroups: [group.id] }
    const [a, b] = [portOf(left, 11, open), portOf(left, 12, open)]
    const [c, d, e] = [portOf(left, 13, closed), portOf(left, 14, closed), portOf(right, 15, closed)]
    const router = routerOf([left, right], { network: external, at: 10 })
    const wanted = wantedOf({
      networks: [left, right, external],
      ports: [a, b, c, d, e],
      ...{ routers: [router], groups: [group], floating: [floatingOf('203.0.113.50', router, d)] },
    })
    await bed.calls.apply(wanted)
    await Promise.all(wanted.ports.map(({ id }) => bed.calls.plug(id)))
    await createSampleNetworks(bed, wanted)
    await bed.run('edge', plain)
    const ways: [string, string, string, string][] = [
      ['a switch', guestSpaceOf(a.id), guestSpaceOf(b.id), '10.0.0.12'],
      ['a switch with groups', guestSpaceOf(c.id), guestSpaceOf(d.id), '10.0.0.14'],
      ['a router, with groups', guestSpaceOf(c.id), guestSpaceOf(e.id), '10.1.0.15'],
      ['a floating address', 'edge', guestSpaceOf(d.id), '203.0.113.50'],
    ]
    const bare: number[] = []
    const took = ways.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      bare.push(await seconds(bed, 'probe-bare1', 'probe-bare2', '10.9.0.2'))
      for (const [at, [, from, to, address]] of ways.entries()) took[at]!.push(await seconds(bed, from, to, address))
    }
    return ways.map(([name], at) => ({
      ...{ name: `networks, ${megabytes} MB over ${name}`, unit: 's', value: Math.min(...took[at]!) },
      against: { name: 'a bare bridge', value: Math.min(...bare) },
    }))
  } finally {
    await bed.end()
  }
}

const plain = `
ip netns add probe-bare
for n in 1 2; do ip netns add probe-bare$n; ip link add bare$n netns probe-bare mtu 1450 type veth peer name eth0 mtu 1450 netns probe-bare$n; done
nsenter --net=/run/netns/probe-bare sh -c 'echo 0 >/proc/sys/net/bridge/bridge-nf-call-iptables; ip link add bare type bridge forward_delay 0; ip link set bare up; for n in 1 2; do ip link set bare$n master bare up; done'
for n in 1 2; do nsenter --net=/run/netns/probe-bare$n sh -c "ip addr add 10.9.0.$n/24 dev eth0; ip link set lo up; ip link set eth0 up"; done`

async function changing(): Promise<Row[]> {
  const bed = await openBed({ rootless: true })
  try {
    const networks = Array.from({ length: manyNetworks }, () => networkOf(['10.0.0.0/24']))
    const group = groupOf([...openOut(), { protocol: 'tcp', portMin: 80, portMax: 80 }, { protocol: 'icmp' }])
    group.rules.push({
      ...group.rules[2]!,
      id: group.id,
      protocol: null,
      portMin: null,
      portMax: null,
      remote: { groupId: group.id },
    })
    const ports = Array.from({ length: manyPorts }, (_, at) =>
      portOf(networks[at % manyNetworks]!, 11 + Math.floor(at / manyNetworks), { securityGroups: [group.id] }),
    )
    const wanted = wantedOf({ networks, ports, groups: [group] })
    const begun = performance.now()
    await bed.calls.apply(wanted)
    await Promise.all(ports.map(({ id }) => bed.calls.plug(id)))
    const built = (performance.now() - begun) / 1000
    const [rule, port]: [number[], number[]] = [[], []]
    for (let at = 0; at < 2 * rounds; at++) {
      const extra = { ...group.rules[2]!, id: networks[at]!.id, portMin: 1000 + at, portMax: 1000 + at }
      const more = { ...wanted, groups: [{ ...group, rules: [...group.rules, extra] }] }
      const one = portOf(networks[at]!, 200, { securityGroups: [group.id] })
      const changes: [number[], WantedNetworks][] = [
        [rule, more],
        [port, { ...more, ports: [...ports, one] }],
      ]
      for (const [times, change] of changes) {
        const start = performance.now()
        const { networks: faults } = await bed.calls.apply(change)
        if (faults.size > 0) throw new Error([...faults.values()][0])
        times.push(performance.now() - start)
      }
      await bed.calls.apply(wanted)
    }
    const at = `at ${manyPorts} ports of ${manyNetworks} networks`
    return [
      { name: `networks, all built anew, ${at}`, unit: 's', value: built },
      { name: `networks, a rule more, ${at}: median`, unit: 'ms', value: quantile(rule, 0.5) },
      { name: `networks, a port more, ${at}: median`, unit: 'ms', value: quantile(port, 0.5) },
    ]
  } finally {
    await bed.end()
  }
}

export async function run(): Promise<Row[]> {
  return [...(await passing()), ...(await changing())]
}
