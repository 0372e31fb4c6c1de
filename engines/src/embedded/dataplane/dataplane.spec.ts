import { randomInt, randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { linkLocalOf } from '../../network-model/addresses'
import { bridgeOf, guestSpaceOf, networkSpaceOf, tapOf } from '../../network-model/names'
import { createSampleNetworks, openBed, tryPing, tryTcp, tryUdp, type Bed } from './testing/bed'
import { modes } from './testing/driver-process'
import {
  floatingOf,
  groupOf,
  networkOf,
  openOut,
  portOf,
  routerOf,
  ruleOf,
  subnetOf,
  wantedOf,
} from '../../network-model/testing/wanted-examples'
import type { DataplaneFacts, WantedNetworks, WantedPort } from '../../network-model/wanted'

/*
 * Real switches, rules, routers and services in a capsule; guests are namespaces.
 */

/** Returns the networks of two tenants with overlapping addresses, one of them with a router to the outside. */
function topology() {
  const [left, right, other] = [
    networkOf(['10.0.0.0/24', 'fd00:a::/64']),
    networkOf(['10.1.0.0/24']),
    networkOf(['10.0.0.0/24']),
  ]
  const external = networkOf([subnetOf('203.0.113.0/24', { serviceAddress: null, dhcp: false })], {
    external: { vlan: null },
  })
  const web = groupOf([...openOut(), { protocol: 'tcp', portMin: 80, portMax: 90 }, { protocol: 'icmp' }])
  const mutual = groupOf([...openOut(), ruleOf(), { version: 6 }])
  for (const rule of mutual.rules.slice(2)) rule.remote = { groupId: mutual.id }
  const a = portOf(left, 11, { securityGroups: [mutual.id] })
  const b = portOf(left, 12, { securityGroups: [web.id, mutual.id] })
  const c = portOf(right, 13, { securityGroups: [web.id] })
  const [stranger, twin] = [
    portOf(other, 11, { securityGroups: [mutual.id] }),
    portOf(other, 12, { securityGroups: [mutual.id] }),
  ]
  const router = routerOf([left, right], { network: external, at: 10 })
  // random, because parallel test runs on this machine must publish on different addresses
  const hostAddress = `127.50.${randomInt(256)}.${randomInt(1, 255)}`
  const published = { port: 80, hostAddress, hostPort: 18_080, protocol: 'tcp' as const }
  const floating = floatingOf('203.0.113.50', router, b, { published: [published] })
  const wanted = wantedOf({
    networks: [left, right, other, external],
    ports: [a, b, c, stranger, twin],
    ...{ routers: [router], groups: [web, mutual], floating: [floating] },
  })
  return { left, right, other, external, web, mutual, a, b, c, stranger, twin, router, floating, published, wanted }
}

const read = (host: string, port: number) =>
  new Promise<string>((done) => {
    let said = ''
    const socket = connect(port, host)
    socket.setTimeout(3000, () => socket.destroy())
    socket.on('data', (data) => (said += data.toString()))
    socket.on('error', () => undefined).on('close', () => done(said))
  })

/**
 * Runs a TCP server in a guest's namespace; `answer` is code that handles a connection `s`. Returns a function that
 * stops it.
 */
async function serve(bed: Bed, at: WantedPort, port: number, answer: string): Promise<() => Promise<unknown>> {
  const [ready, enough] = [join(bed.folder, `ready-${randomUUID()}`), join(bed.folder, `enough-${randomUUID()}`)]
  const program = `const fs = require('fs'); require('net').createServer((s) => { s.on('error', () => 0); ${answer} }).listen(${port}, '0.0.0.0', () => fs.writeFileSync('${ready}', '')); setInterval(() => fs.existsSync('${enough}') && process.exit(), 50)`
  const ended = bed.from(at.id, `timeout 120 '${process.execPath}' -e "${program}"`)
  await expect.poll(() => existsSync(ready)).toBe(true)
  return () => {
    writeFileSync(enough, '')
    return ended
  }
}
const untilThere = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`

describe.each(modes)('a host’s networks (rootless: $rootless)', ({ rootless }) => {
  const test = rootless ? testOn('networks') : testOn('root', 'networks')
  let bed: Bed
  let facts: DataplaneFacts
  const it = topology()
  const { a, b, c, stranger, twin, wanted, floating } = it
  const mutable: { wanted: WantedNetworks } = { wanted }
  const from = (port: { id: string }, script: string) => bed.from(port.id, script).then((said) => said.trim())

  beforeAll(async () => {
    bed = await openBed({ rootless })
    facts = await bed.calls.probe()
    const applied = await bed.calls.apply(wanted)
    expect([applied.networks, applied.routers, applied.ports, applied.floating].map(({ size }) => size)).toEqual([
      0, 0, 0, 0,
    ])
    for (const { id } of wanted.ports) await bed.calls.plug(id)
    await createSampleNetworks(bed, wanted)
  })
  afterAll(() => bed.end())

  test('are available, or list each missing requirement with the reason', () => {
    for (const { what, because } of facts.missing)
      expect([what, because]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
    expect(facts.available).toBe(facts.missing.length === 0)
  })

  test('allow only the traffic that security groups allow: on a switch, between networks and from outside', async () => {
    const answers = await Promise.all([
      ...[from(a, tryTcp('10.0.0.12', 80)), from(a, tryTcp('10.0.0.12', 100)), from(a, tryPing('fd00:a::12'))],
      ...[
        from(c, tryTcp('10.0.0.12', 85)),
        from(c, tryTcp('10.0.0.12', 100)),
        from(c, tryUdp('10.0.0.12', 85)),
        from(c, tryPing('10.0.0.11')),
      ],
      ...[from(a, tryUdp('10.1.0.13', 85)), from(a, tryPing('10.1.0.13'))],
      ...[
        bed.run('edge', tryTcp('203.0.113.50', 80)),
        bed.run('edge', tryTcp('203.0.113.50', 22)),
        from(c, tryTcp('203.0.113.50', 80)),
      ],
    ])
    expect(answers.map((said) => said.trim())).toEqual([
      ...['refused', 'refused', 'answered'],
      ...['refused', 'silent', 'silent', 'silent'],
      ...['silent', 'answered'],
      ...['refused', 'silent', 'refused'],
    ])
  })

  test('isolate tenants with the same addresses, even for connections with the same ports', async () => {
    const serving = [await serve(bed, b, 7000, `s.end('left')`), await serve(bed, twin, 7000, `s.end('other')`)]
    const ask = `exec 3<>/dev/tcp/10.0.0.12/7000; timeout 10 cat <&3`
    const same = `echo '45000 45000' >/proc/sys/net/ipv4/ip_local_port_range; ${ask}`
    expect(await Promise.all([from(a, same), from(stranger, same)])).toEqual(['left', 'other'])
    for (const port of [a, stranger]) await from(port, `echo '32768 60999' >/proc/sys/net/ipv4/ip_local_port_range`)
    await Promise.all(serving.map((end) => end()))

    // a connection that is allowed for one tenant must not open anything to the other, whose packets look identical
    const closed = wanted.ports.map((port) => (port === twin ? { ...twin, securityGroups: [] } : port))
    await bed.calls.apply({ ...wanted, ports: closed })
    const oneSourcePort = `echo '45001 45001' >/proc/sys/net/ipv4/ip_local_port_range`
    const end = await serve(bed, b, 7001, '')
    const [held, asked] = [join(bed.folder, 'held'), join(bed.folder, 'asked')]
    const holding = from(
      a,
      `${oneSourcePort}; exec 3<>/dev/tcp/10.0.0.12/7001 && touch ${held}; ${untilThere(asked)}; echo held`,
    )
    await expect.poll(() => existsSync(held)).toBe(true)
    expect(await from(stranger, `${oneSourcePort}; ${tryTcp('10.0.0.12', 7001, 1)}`)).toBe('silent')
    writeFileSync(asked, '')
    expect(await holding).toBe('held')
    await end()
    for (const port of [a, stranger]) await from(port, `echo '32768 60999' >/proc/sys/net/ipv4/ip_local_port_range`)
    await bed.calls.apply(wanted)
  })

  test('change nothing if the configuration is unchanged, and count traffic per port', { tags: 'all' }, async () => {
    expect((await bed.calls.apply(wanted)).unchanged).toBe(true)
    const before = (await bed.calls.counters()).get(b.id)!
    await from(a, tryPing('10.0.0.12'))
    await from(c, tryTcp('10.0.0.12', 100))
    const after = (await bed.calls.counters()).get(b.id)!
    expect(after.toGuest.packets).toBeGreaterThan(before.toGuest.packets)
    expect(after.toGuest.dropped).toBeGreaterThan(before.toGuest.dropped)
    expect(after.fromGuest.bytes).toBeGreaterThan(before.fromGuest.bytes)
  })

  test('publish a port of a floating IP on this host until it is unpublished', async () => {
    const { hostAddress, hostPort } = it.published
    const end = await serve(bed, b, 80, `s.end('a page')`)
    await expect.poll(() => read(hostAddress, hostPort)).toBe('a page')
    await bed.calls.apply({ ...wanted, floating: [{ ...floating, published: [] }] })
    expect(await read(hostAddress, hostPort)).toBe('')
    await end()
    await bed.calls.apply(wanted)
  })

  test('resolve DNS names, and identify the guest that requests metadata', async () => {
    const node = (program: string) => `'${process.execPath}' -e "${program}"`
    const resolve = (name: string) =>
      node(
        `const d = new (require('dns').Resolver)({ timeout: 900, tries: 3 }); d.setServers(['10.0.0.2']); d.resolve4('${name}', (e, r) => process.stdout.write(e ? e.code : r.join()))`,
      )
    expect(await from(a, resolve('host-12.cloud.internal'))).toBe('10.0.0.12')
    expect(await from(a, resolve('nobody.cloud.internal'))).toBe('ENOTFOUND')
    const ask = (port: typeof a) =>
      from(
        port,
        `ip route replace 169.254.169.254 via 10.0.0.2; exec 3<>/dev/tcp/169.254.169.254/80; printf 'GET /latest/x HTTP/1.0\\r\\nX-Mainstay-Network: ${randomUUID()}\\r\\n\\r\\n' >&3; timeout 4 cat <&3 | tail -1`,
      )
    expect(JSON.parse(await ask(a))).toEqual({
      networkId: it.left.id,
      address: '10.0.0.11',
      portId: a.id,
      path: '/latest/x',
    })
    expect(JSON.parse(await ask(stranger))).toMatchObject({ networkId: it.other.id, portId: stranger.id })
  })

  test.for([
    { what: 'without spoofing protection', change: { spoofingProtection: false, securityGroups: [] } },
    { what: 'with an allowed address range', change: { alsoFrom: [{ cidr: '10.0.0.0/24', mac: null }] } },
  ])(
    'do not serve a neighbour’s metadata to a guest $what that uses its address',
    { tags: 'all' },
    async ({ change }) => {
      await bed.calls.apply({ ...wanted, ports: wanted.ports.map((port) => (port === a ? { ...a, ...change } : port)) })
      const ask = (port: WantedPort) =>
        from(
          port,
          `ip route replace 169.254.169.254 via 10.0.0.2; exec 3<>/dev/tcp/169.254.169.254/80; printf 'GET /latest/user-data HTTP/1.0\\r\\n\\r\\n' >&3; timeout 4 cat <&3 | tail -1`,
        )
      const asNeighbour = `const s = require('net').connect({ host: '169.254.169.254', port: 80, localAddress: '10.0.0.12' }, () => s.write('GET /latest/user-data HTTP/1.0\\r\\n\\r\\n')); s.on('data', (d) => process.stdout.write(d)).on('error', () => 0); setTimeout(() => process.exit(), 3000)`
      expect(JSON.parse(await ask(a))).toMatchObject({ portId: a.id })
      const taken = await from(
        a,
        `ip addr add 10.0.0.12/32 dev eth0; ip neigh flush dev eth0; '${process.execPath}' -e "${asNeighbour}"; ip addr del 10.0.0.12/32 dev eth0`,
      )
      expect(taken).toBe('')
      await from(a, 'ip route del 169.254.169.254')
      await bed.run(networkSpaceOf(it.left.id), 'ip neigh flush dev net0')
      expect(JSON.parse(await ask(b))).toMatchObject({ portId: b.id })
      await bed.calls.apply(wanted)
    },
  )

  test('drop packets with a forged source address', async () => {
    const dropped = async () => (await bed.calls.counters()).get(a.id)!.fromGuest.dropped
    const before = await dropped()
    const forge = (doing: string, trying: string, undoing: string) => from(a, `${doing}; ${trying}; ${undoing}`)
    expect(
      await forge(
        'ip addr add 10.0.0.99/24 dev eth0',
        `ping -n -c 1 -W 1 -I 10.0.0.99 10.0.0.12 >/dev/null && echo through`,
        'ip addr del 10.0.0.99/24 dev eth0',
      ),
    ).toBe('')
    expect(
      await forge(
        'ip addr add fd00:a::2/64 dev eth0 nodad',
        `ping -n -c 1 -W 1 -I fd00:a::2 fd00:a::12 >/dev/null && echo through`,
        'ip addr del fd00:a::2/64 dev eth0',
      ),
    ).toBe('')
    expect(
      await forge(
        'ip link set dev eth0 address 52:54:00:99:99:99',
        tryPing('10.0.0.12', 1),
        `ip link set dev eth0 address ${a.mac}; ip addr replace fd00:a::11/64 dev eth0 nodad; ip route replace default via 10.0.0.1`,
      ),
    ).toBe('silent')
    // impersonate the gateway by sending ARP replies and requests with its address
    await from(b, 'ip neigh flush dev eth0')
    await forge(
      'ip addr add 10.0.0.1/32 dev eth0',
      'ping -n -c 1 -W 0.3 -I 10.0.0.1 10.0.0.12 >/dev/null; ip link set dev eth0 down; sysctl -qw net.ipv4.conf.eth0.arp_notify=1; ip link set dev eth0 up; sleep 0.2',
      'ip addr del 10.0.0.1/32 dev eth0; ip addr replace fd00:a::11/64 dev eth0 nodad; ip route replace default via 10.0.0.1',
    )
    expect(await from(b, `ip neigh show 10.0.0.1 | grep -c ${a.mac}`)).toBe('0')
    expect(await dropped()).toBeGreaterThan(before + 3)
    expect(await from(a, tryPing('10.0.0.12'))).toBe('answered')
  })

  test('ignore DHCP servers run by guests and router advertisements sent by guests', async () => {
    const forged = async () =>
      Number(
        /(\d+)/.exec(
          await bed.run(
            'sw',
            `nft list ruleset | grep -o '"${tapOf(a.id)}" counter packets [0-9]*' | grep -o '[0-9]*$'`,
          ),
        )?.[1] ?? 0,
      )
    const before = await forged()
    const enough = join(bed.folder, 'enough-of-dhcp')
    const rogue = from(
      a,
      `timeout 60 dnsmasq --no-daemon --user=root --group=root --conf-file=/dev/null --port=0 --interface=eth0 --bind-interfaces --leasefile-ro --no-ping --dhcp-authoritative --dhcp-range=10.0.0.100,10.0.0.150,1h --enable-ra --dhcp-range=fd00:a::,ra-only >/dev/null 2>&1 & while kill -0 $! && ! [ -e ${enough} ]; do sleep 0.05; done; kill $!; wait`,
    )
    const discover = `const d = require('dgram').createSocket('udp4'); d.bind(68, () => { d.setBroadcast(true); const p = Buffer.alloc(300); p[0] = p[1] = 1; p[2] = 6; p.writeUInt32BE(4660, 4); p.writeUInt16BE(32768, 10); Buffer.from('${b.mac.replaceAll(':', '')}', 'hex').copy(p, 28); p.writeUInt32BE(0x63825363, 236); p[240] = 53; p[241] = p[242] = 1; p[243] = 255; d.send(p, 67, '255.255.255.255') }); d.on('message', (m) => { process.stdout.write([...m.subarray(16, 20)].join('.') + ' by ' + [...m.subarray(20, 24)].join('.') + ';'); setTimeout(() => process.exit(), 1000) }); setTimeout(() => process.exit(), 30000)`
    await new Promise((done) => setTimeout(done, 600))
    expect(await from(b, `'${process.execPath}' -e "${discover}"`)).toBe('10.0.0.12 by 10.0.0.2;')
    const told = await from(
      b,
      `echo 1 >/proc/sys/net/ipv6/conf/eth0/accept_ra; ip link set dev eth0 down; ip link set dev eth0 up; for n in $(seq 50); do ip -6 route show default | grep -q proto.ra && ip -6 -o addr show dev eth0 scope global -tentative | grep -q dynamic && break; sleep 0.3; done; ip -6 route show default; ip -6 -o addr show dev eth0; echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_ra; ip -6 addr flush dev eth0 scope global; ip -6 route flush proto ra; ip addr replace fd00:a::12/64 dev eth0 nodad; ip route replace default via 10.0.0.1; ip route replace default via fd00:a::1`,
    )
    expect(told).toContain(`default via ${linkLocalOf(it.router.interfaces[0]!.mac)} `)
    expect(told).toMatch(/inet6 fd00:a::5054:ff:fe[^ ]*\/64/)
    expect(told).not.toContain(`via ${linkLocalOf(a.mac)} `)
    expect(await forged()).toBeGreaterThan(before + 1)
    writeFileSync(enough, '')
    await rogue
  })

  test('block access from guests to the host, the capsule and other services', async () => {
    const places = [
      '203.0.113.1',
      '198.18.127.100',
      '198.18.127.2',
      '198.18.128.3',
      '127.0.0.1',
      '10.0.0.2',
      '10.0.0.1',
    ]
    const tries = places
      .filter((place) => place !== '127.0.0.1')
      .map(
        (place) =>
          `(for p in 22 80 631 8800; do (${tryTcp(place, '$p' as never, 1)}) | grep -q open && echo "${place}:$p"; done) &`,
      )
    expect((await from(a, `${tries.join('\n')}\nwait`)).split('\n').filter(Boolean)).toEqual([])
    // the switch namespace has no address that could be reached
    expect(await bed.run('sw', 'ip -o addr show | grep -v " lo "')).toBe('')
  })

  test('close only the connections that a removed rule had allowed', async () => {
    const serving = [await serve(bed, b, 81, 's.pipe(s)'), await serve(bed, b, 82, 's.pipe(s)')]
    const [heard, changed] = [(port: number) => join(bed.folder, `heard-${port}`), join(bed.folder, 'changed')]
    const talk = (port: number) =>
      from(
        c,
        `exec 3<>/dev/tcp/10.0.0.12/${port}; echo x >&3; read -t 20 -u 3 l && touch ${heard(port)}; ${untilThere(changed)}; n=0; for i in 1 2; do echo x >&3; read -t 1 -u 3 l && n=$((n+1)); done; echo $n`,
      )
    const talks = [talk(81), talk(82)]
    await expect.poll(() => [81, 82].map((port) => existsSync(heard(port)))).toEqual([true, true])
    const less = {
      ...it.web,
      rules: it.web.rules.flatMap((rule) => (rule.protocol === 'tcp' ? [{ ...rule, portMin: 82 }] : [rule])),
    }
    mutable.wanted = { ...wanted, groups: [less, it.mutual] }
    await bed.calls.apply(mutable.wanted)
    writeFileSync(changed, '')
    const [closed, kept] = (await Promise.all(talks)).map(Number)
    expect(closed).toBe(0)
    // on a busy machine, one of the two responses may take more than a second
    expect(kept).toBeGreaterThan(0)
    await bed.calls.apply(wanted)
    await Promise.all(serving.map((end) => end()))
  })

  test('remove foreign objects and restore missing ones after a restart', { tags: 'all' }, async () => {
    await bed.run(
      'sw',
      'ip link add foreign type bridge; ip link add foreign2 type veth peer name foreign3; nft add table inet foreign',
    )
    await bed.run('edge', 'ip netns add foreign')
    await bed.run(networkSpaceOf(it.left.id), 'ip addr del 10.0.0.2/24 dev net0; ip addr add 10.0.0.77/24 dev net0')
    await bed.run('sw', `ip link set ${tapOf(c.id)} nomaster; ip link del ${bridgeOf(it.other.id)}`)
    await bed.killServer()
    expect((await bed.calls.apply(wanted)).unchanged).toBe(false)
    const left = await bed.run('sw', 'ip -o link; nft list tables; ls /run/netns')
    expect(left).not.toContain('foreign')
    expect(await bed.run(networkSpaceOf(it.left.id), 'ip -o -4 addr show dev net0')).toMatch(
      /10\.0\.0\.2\/24(?![^]*10\.0\.0\.77)/,
    )
    expect(await Promise.all([from(a, tryPing('10.1.0.13')), from(stranger, tryPing('10.0.0.12'))])).toEqual([
      'answered',
      'answered',
    ])
  })

  test(
    'keep working when a change cannot be applied, and never recreate a guest’s network interface',
    { tags: 'all' },
    async () => {
      const withMtu = (mtu: number): WantedNetworks => ({
        ...wanted,
        networks: wanted.networks.map((network) => (network.id === it.left.id ? { ...network, mtu } : network)),
      })
      const cards = () =>
        bed.run('sw', `cat /sys/class/net/${tapOf(a.id)}/ifindex /sys/class/net/${tapOf(b.id)}/ifindex`)
      const passes = () => Promise.all([from(a, tryPing('10.0.0.12')), from(c, tryTcp('10.0.0.12', 85))])
      const before = await cards()
      const refused = await bed.calls.apply(withMtu(300))
      expect(refused.networks.get(it.left.id)).toMatch(/MTU/)
      expect([refused.routers.size, refused.ports.size]).toEqual([0, 0])
      expect(await passes()).toEqual(['answered', 'refused'])
      expect((await bed.calls.apply(withMtu(1400))).networks.size).toBe(0)
      expect(await passes()).toEqual(['answered', 'refused'])

      // a new server process does not know the last working configuration
      await bed.killServer()
      expect((await bed.calls.apply(withMtu(300))).networks.has(it.left.id)).toBe(true)
      expect((await passes())[0]).toBe('silent')
      expect((await bed.calls.apply(wanted)).networks.size).toBe(0)
      await expect.poll(passes, { timeout: 20_000 }).toEqual(['answered', 'refused'])
      expect(await cards()).toBe(before)
    },
  )

  test(
    'answer a reachability question with real packets, with and without a guest behind the port',
    { tags: 'all' },
    async () => {
      const ask = (to: { portId: string } | { address: string }, port: number | null) =>
        bed.calls.check({ from: { portId: c.id }, to, protocol: port === null ? 'icmp' : 'tcp', port })
      const found = []
      for (const plugged of [true, false]) {
        if (!plugged) await bed.calls.unplug(c.id)
        found.push([
          (await ask({ portId: b.id }, 85)).delivered,
          (await ask({ portId: b.id }, 100)).delivered,
          (await ask({ address: '203.0.113.50' }, 80)).delivered,
        ])
      }
      expect(found).toEqual([
        [true, false, true],
        [true, false, true],
      ])
      expect(
        (await bed.calls.check({ from: 'outside', to: { address: '203.0.113.50' }, protocol: 'tcp', port: 80 }))
          .delivered,
      ).toBe(true)
      expect((await ask({ portId: randomUUID() }, 80)).fault).toBe('The port does not exist')
      await bed.calls.plug(c.id)
      await createSampleNetworks(bed, wanted, [c])
      expect(await bed.run('edge', 'ls /run/netns; nft list tables')).not.toMatch(/trial/)
      expect(guestSpaceOf(c.id)).toMatch(/^probe-/)
    },
  )
})
