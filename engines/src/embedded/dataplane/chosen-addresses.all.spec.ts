import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { linkLocalOf } from '../../network-model/addresses'
import { macOf } from '../../network-model/names'
import { openBed, type Bed } from './testing/bed'
import { arpProbe, bytesOf, neighbourMessage, sendFrame } from './testing/frames'
import {
  groupOf,
  macFor,
  networkOf,
  openOut,
  portOf,
  routerOf,
  subnetOf,
  wantedOf,
} from '../../network-model/testing/wanted-examples'
import type { WantedNetwork, WantedPort } from '../../network-model/wanted'

const test = testOn('networks')

/*
 * IPv6 addresses that guests assign themselves, for example with privacy extensions (RFC 7217, RFC 8981), and addresses
 * that a guest must not use. Guests are namespaces that have only the addresses assigned by a test.
 */

const open = networkOf(['10.92.0.0/24', subnetOf('fd00:92::/64', { mode: 'slaac' })])
const managed = networkOf([subnetOf('fd00:93::/64', { mode: 'dhcpv6-stateful' })])
const group = groupOf([...openOut(), { version: 6 }])
group.rules.at(-1)!.remote = { groupId: group.id }

const euiOf = (mac: string) => linkLocalOf(mac).replace('fe80::', 'fd00:92::')
function guestOf(network: WantedNetwork, at: number, change: Partial<WantedPort> = {}): WantedPort {
  const mac = macFor()
  const addresses = network === open ? [`10.92.0.${at}`, euiOf(mac)] : [`fd00:93::${at}`]
  return portOf(network, at, { mac, addresses, securityGroups: [group.id], ...change })
}
const [a, b, c] = [guestOf(open, 11), guestOf(open, 12), guestOf(open, 13)]
const shared = guestOf(open, 14, { alsoFrom: [{ cidr: 'fd00:92::77/128', mac: null }] })
const given = guestOf(managed, 11)
const router = routerOf([open, managed], null)
const wanted = wantedOf({
  ...{ networks: [open, managed], ports: [a, b, c, shared, given], routers: [router], groups: [group] },
})
const routersOwn = linkLocalOf(router.interfaces[0]!.mac)

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  await bed.calls.apply(wanted)
  for (const { id } of wanted.ports) await bed.calls.plug(id)
  for (const port of wanted.ports) {
    const settings = ['accept_ra=0', 'addr_gen_mode=1', 'accept_dad=0', 'dad_transmits=0']
    const set = settings.map((one) => one.split('=')).map(([key, value]) => `echo ${value} >ipv6/conf/eth0/${key}`)
    await from(
      port,
      `cd /proc/sys/net; ${set.join('; ')}; ip link set dev lo up; ip link set dev eth0 address ${port.mac} up`,
    )
  }
})
afterAll(() => bed.end())

const from = (port: WantedPort, script: string) => bed.from(port.id, script).then((said) => said.trim())
const give = (port: WantedPort, ...addresses: string[]) =>
  from(port, addresses.map((one) => `ip addr add ${one}/64 dev eth0 nodad`).join('; '))
const take = (port: WantedPort) => from(port, 'ip -6 addr flush dev eth0; ip -6 neigh flush dev eth0')

/** Timeout in seconds when no reply is expected. */
const soon = 0.4
/** Whether a guest can reach `target` from `source`, an address that it assigns itself. */
async function reaches(port: WantedPort, source: string, target: string, seconds = 2): Promise<boolean> {
  const scope = target.startsWith('fe80') ? '%eth0' : ''
  await give(port, source)
  // with `-w`, a lost request is repeated every second; a busy host may need several attempts
  const patience = seconds < 1 ? `-W ${seconds}` : `-w ${4 * seconds}`
  const said = await from(port, `ping -n -c 1 ${patience} -I ${scope ? 'eth0' : source} ${target}${scope}`)
  await from(port, `ip addr del ${source}/64 dev eth0`)
  return / [1-9]\d* received/.test(said)
}

const chosenBy = async (): Promise<string> =>
  bed.run('sw', 'for t in a b; do nft list map bridge ms_$t chosen6; done 2>/dev/null')
/** Simulates ten minutes without traffic by making the recorded addresses expire after one second. */
async function beSilent(): Promise<void> {
  const listed = await chosenBy()
  const table = /ms_[ab]/.exec(await bed.run('sw', 'nft list tables bridge'))?.[0]
  const elements = [...listed.matchAll(/(\S+ \. \S+) expires \S+ : (\S+?),?\s/g)].map(
    ([, key, mark]) => `${key} expires 1s : ${mark}`,
  )
  await bed.run(
    'sw',
    `nft -f - <<'END'\nflush map bridge ${table} chosen6\nadd element bridge ${table} chosen6 { ${elements.join(', ')} }\nEND`,
  )
  await expect.poll(chosenBy).not.toContain('expires')
}

describe('a guest in a subnet with an advertised prefix', () => {
  test('may use any free address in the prefix and any free link-local address, subject to its security groups', async () => {
    await give(b, 'fd00:92::b:b')
    for (const target of ['fd00:92::1', 'fd00:92::b:b']) expect(await reaches(a, 'fd00:92::a:1', target)).toBe(true)
    expect(await reaches(a, 'fe80::a:2:3:4', routersOwn)).toBe(true)
    await take(b)
    const asked = await from(
      a,
      `ip addr add 10.92.0.11/24 dev eth0; ip route add 169.254.169.254 via 10.92.0.2; exec 3<>/dev/tcp/169.254.169.254/80; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; timeout 4 cat <&3 | tail -1`,
    )
    expect(JSON.parse(asked)).toMatchObject({ address: '10.92.0.11', portId: a.id })
  })

  test.for([
    ['the gateway’s address', 'fd00:92::1'],
    ['the service address', 'fd00:92::2'],
    ['the subnet-router anycast address', 'fd00:92::'],
    ['a neighbour’s address', c.addresses[1]!],
    ['a neighbour’s allowed address pair', 'fd00:92::77'],
    ['an address in another prefix', 'fd00:94::5'],
    ['the router’s link-local address', routersOwn],
    ['a neighbour’s link-local address', linkLocalOf(c.mac)],
  ] as const)('cannot take %s', async ([, address]) => {
    await give(a, a.addresses[1]!, linkLocalOf(a.mac))
    const target = address.startsWith('fe80') ? linkLocalOf(a.mac) : a.addresses[1]!
    expect(await reaches(b, address, target, soon)).toBe(false)
    await from(a, `ip neigh replace ${address} lladdr 02:00:00:00:00:01 dev eth0 nud stale`)
    for (const extensions of [0, 24])
      await from(
        b,
        sendFrame(
          neighbourMessage('advertisement', { mac: b.mac, source: linkLocalOf(b.mac), target: address, extensions }),
        ),
      )
    // the entry may already contain the real owner
    const known = await from(a, `ip neigh show to ${address}`)
    expect(known).toContain('lladdr')
    expect(known).not.toContain(b.mac)
    await take(a)
  })

  test('cannot take over another guest’s address until that guest has been silent for ten minutes', async () => {
    await give(c, c.addresses[1]!)
    const attempt = (seconds?: number) => reaches(b, 'fd00:92::cafe', c.addresses[1]!, seconds)
    expect(await reaches(a, 'fd00:92::cafe', c.addresses[1]!)).toBe(true)
    expect(await attempt(soon)).toBe(false)
    // the owners of addresses are kept across a server restart
    await bed.killServer()
    await bed.calls.apply(wanted)
    expect(await attempt(soon)).toBe(false)
    expect(await chosenBy()).toMatch(/timeout 10m/)
    await beSilent()
    expect(await attempt()).toBe(true)
    expect(await reaches(a, 'fd00:92::cafe', c.addresses[1]!, soon)).toBe(false)
    await take(c)
  })

  test('does not block an address by probing whether it is free', async () => {
    const targets = [c.addresses[1]!, 'fd00:92::1', 'fd00:92::d00d']
    // count per target, because other guests in the network may probe their own addresses
    const asked = targets.map(
      (it) => `ip6 saddr :: icmpv6 type nd-neighbor-solicit @nh,384,128 0x${bytesOf(it).toString('hex')} counter`,
    )
    const counted = `nft -f - <<'END'
table netdev seen {
 chain enter { type filter hook ingress device eth0 priority 0;
  ${[...asked, 'arp saddr ip 0.0.0.0 counter'].join('\n  ')}
 }
}
END`
    await from(c, counted)
    const heard = async () =>
      [...(await from(c, 'nft list table netdev seen')).matchAll(/packets (\d+)/g)].map(([, count]) => Number(count))
    const ask = (port: WantedPort, target: string) =>
      from(port, sendFrame(neighbourMessage('solicitation', { mac: port.mac, source: '::', target })))
    for (const [at, port] of [b, b, a].entries()) await ask(port, targets[at]!)
    await from(b, sendFrame(arpProbe(b.mac, '10.92.0.13'), arpProbe(b.mac, '10.92.0.12')))
    await expect.poll(heard).toEqual([0, 0, 1, 1])
    // the first guest to probe a free address owns it
    await ask(b, 'fd00:92::d00d')
    expect(await reaches(b, 'fd00:92::d00d', 'fd00:92::1', soon)).toBe(false)
    expect(await heard()).toEqual([0, 0, 1, 1])
    await from(c, 'nft delete table netdev seen')
  })

  test('may use only a limited number of addresses, so that other guests can still use theirs', async () => {
    await beSilent()
    const all = Array.from({ length: 80 }, (_, at) => `fd00:92::beef:${at.toString(16)}`)
    const frames = all.map((source) => neighbourMessage('solicitation', { mac: b.mac, source: '::', target: source }))
    await from(b, sendFrame(...frames))
    const used = (await chosenBy()).match(/expires/g)!.length
    expect(used).toBeGreaterThan(16)
    expect(used).toBeLessThan(40)
    expect(await reaches(a, 'fd00:92::beef:4f', 'fd00:92::1')).toBe(true)
  })

  test('loses the access granted by a security group that it leaves, for all of its addresses', async () => {
    await give(c, c.addresses[1]!)
    const attempt = (seconds?: number) => reaches(a, 'fd00:92::a:9', c.addresses[1]!, seconds)
    expect(await attempt()).toBe(true)
    const closed = groupOf(openOut())
    const ports = wanted.ports.map((port) => (port === a ? { ...a, securityGroups: [closed.id] } : port))
    await bed.calls.apply({ ...wanted, ports, groups: [group, closed] })
    expect(await attempt(soon)).toBe(false)
    await bed.calls.apply(wanted)
    expect(await attempt()).toBe(true)
    await take(c)
  })
})

test('a guest in a subnet with managed addresses may use only its port’s address and any free link-local address', async () => {
  expect(await reaches(given, 'fd00:93::11', 'fd00:93::1')).toBe(true)
  expect(await reaches(given, 'fd00:93::12', 'fd00:93::1', soon)).toBe(false)
  expect(await reaches(given, 'fe80::5:6:7:8', linkLocalOf(router.interfaces[1]!.mac))).toBe(true)
  expect(
    await reaches(given, linkLocalOf(router.interfaces[1]!.mac), linkLocalOf(macOf(`network ${managed.id}`)), soon),
  ).toBe(false)
})

test('a guest with an allowed address pair can announce that address, but not the gateway’s', async () => {
  await give(a, a.addresses[1]!)
  expect(await reaches(shared, 'fd00:92::77', a.addresses[1]!)).toBe(true)
  await from(a, 'ip neigh replace fd00:92::1 lladdr 02:00:00:00:00:01 dev eth0 nud stale')
  await from(
    shared,
    sendFrame(
      neighbourMessage('advertisement', { mac: shared.mac, source: linkLocalOf(shared.mac), target: 'fd00:92::1' }),
    ),
  )
  await pause(100)
  expect(await from(a, 'ip neigh show to fd00:92::1')).toContain('02:00:00:00:00:01')
  await take(a)
})
