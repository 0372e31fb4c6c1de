import process from 'node:process'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { rounds } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { linkLocalOf } from '../../network-model/addresses'
import { openBed, tryPing, type Bed } from './testing/bed'
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
import type { WantedPort } from '../../network-model/wanted'

const test = testOn('networks')

/* Address assignment in each IPv6 mode of a subnet, through router advertisements and DHCPv6. */

const modes = ['slaac', 'dhcpv6-stateless', 'dhcpv6-stateful', 'none'] as const
type Mode = (typeof modes)[number]
const prefixOf = (mode: Mode) => `fd00:${modes.indexOf(mode) + 1}:`
const networks = modes.map((mode) => networkOf([subnetOf(`${prefixOf(mode)}:/64`, { mode })]))
const group = groupOf(openOut())

/** Returns a guest. In SLAAC modes, its address is derived from the MAC address (EUI-64), otherwise from `at`. */
function guestOf(mode: Mode, at: number): WantedPort {
  const mac = macFor()
  const makesItself = mode === 'slaac' || mode === 'dhcpv6-stateless'
  const address = makesItself ? linkLocalOf(mac).replace('fe80::', `${prefixOf(mode)}:`) : `${prefixOf(mode)}:${at}`
  return portOf(networks[modes.indexOf(mode)]!, at, { mac, addresses: [address], securityGroups: [group.id] })
}
const guests = Object.fromEntries(modes.map((mode) => [mode, guestOf(mode, 11)])) as Record<Mode, WantedPort>
const second = guestOf('dhcpv6-stateful', 12)
const router = routerOf(networks, null)
const wanted = wantedOf({
  networks,
  ports: [...Object.values(guests), second],
  ...{ routers: [router], groups: [group] },
})

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
  await bed.calls.apply(wanted)
  await Promise.all(wanted.ports.map(({ id }) => bed.calls.plug(id)))
  await Promise.all(wanted.ports.map((port) => from(port, listening(port))))
})
afterAll(() => bed.end())

const from = (port: WantedPort, script: string) => bed.from(port.id, script).then((said) => said.trim())

/**
 * Counts router advertisements by their *managed* and *other* flags, and brings the link up, which makes the kernel
 * solicit an advertisement.
 */
const listening = ({ mac }: WantedPort) => `
nft -f - <<'END'
table netdev seen {
 chain enter { type filter hook ingress device eth0 priority 0;
  icmpv6 type nd-router-advert @th,40,2 0 counter comment "plain"
  icmpv6 type nd-router-advert @th,40,2 1 counter comment "other"
  icmpv6 type nd-router-advert @th,41,1 0 @th,40,1 1 counter comment "managed"
  icmpv6 type nd-router-advert @th,40,2 3 counter comment "managed and other"
 }
}
END
ip link set dev lo up
ip link set dev eth0 address ${mac} up
`
const flagsTold = async (port: WantedPort): Promise<string[]> => {
  const rules = await from(port, 'nft list ruleset')
  return [...rules.matchAll(/counter packets (\d+) bytes \d+ comment "([a-z ]+)"/g)]
    .filter(([, packets]) => packets !== '0')
    .map(([, , flags = '']) => flags)
}
const globalAddresses = async (port: WantedPort): Promise<string[]> => {
  const said = await from(port, 'ip -6 -o addr show dev eth0 scope global')
  return [...said.matchAll(/inet6 (\S+)/g)].map(([, address = '']) => address)
}
const defaultRoute = (port: WantedPort) => from(port, 'ip -6 route show default')

interface Told {
  addresses: string[]
  nameServers: string[]
}

/** After how many milliseconds there counts as no response where none is expected. */
const silenceMs = rounds({ gate: 1500, all: 4000, long: 4000 })

/**
 * Requests an address as a DHCPv6 client (RFC 8415) with Solicit and Request, or only other settings with
 * Information-Request. Returns null if there is no response.
 */
const ask = async (port: WantedPort, what: 'address' | 'rest', withinMs = 4000): Promise<Told | null> =>
  JSON.parse(
    await from(
      port,
      `'${process.execPath}' --input-type=module - <<'END'
import { createSocket } from 'node:dgram'
const u16 = (value) => Buffer.from([value >> 8, value & 255])
const option = (code, data) => Buffer.concat([u16(code), u16(data.length), data])
const client = option(1, Buffer.from('00030001${port.mac.replaceAll(':', '')}', 'hex'))
const rest = [option(8, u16(0)), option(6, Buffer.concat([u16(23)]))]
const association = (inner) => option(3, Buffer.concat([Buffer.from([0, 0, 0, 7]), Buffer.alloc(8), inner]))
function optionsIn(data) {
  const found = []
  for (let at = 0; at + 4 <= data.length; at += 4 + data.readUInt16BE(at + 2))
    found.push({ code: data.readUInt16BE(at), data: data.subarray(at + 4, at + 4 + data.readUInt16BE(at + 2)) })
  return found
}
const text = (data) => new URL('http://[' + data.toString('hex').match(/.{4}/g).join(':') + ']').hostname.slice(1, -1)
const number = Buffer.from([1, 2, 3])
const socket = createSocket('udp6')
const send = (type, options) => {
  const message = Buffer.concat([Buffer.from([type]), number, client, ...options, ...rest])
  socket.send(message, 547, 'ff02::1:2%eth0')
}
const end = (told) => { process.stdout.write(JSON.stringify(told)); process.exit() }
let asking
socket.on('message', (message) => {
  const options = optionsIn(message.subarray(4))
  const addresses = options
    .filter(({ code }) => code === 3)
    .flatMap(({ data }) => optionsIn(data.subarray(12)))
    .filter(({ code }) => code === 5)
    .map(({ data }) => data.subarray(0, 16))
  if (message[0] === 2) {
    if (addresses.length === 0) return end({ addresses: [], nameServers: [] })
    clearInterval(asking)
    const server = options.find(({ code }) => code === 2).data
    send(3, [option(2, server), association(option(5, Buffer.concat([addresses[0], Buffer.alloc(8)])))])
  } else if (message[0] === 7) {
    const nameServers = options.filter(({ code }) => code === 23).flatMap(({ data }) =>
      Array.from({ length: data.length / 16 }, (_, at) => text(data.subarray(16 * at, 16 * at + 16))))
    end({ addresses: addresses.map(text), nameServers })
  }
})
socket.bind(546, () => {
  const first = () => ${what === 'address' ? 'send(1, [association(Buffer.alloc(0))])' : 'send(11, [])'}
  first()
  asking = setInterval(first, 500)
})
setTimeout(() => end(null), ${withinMs})
END`,
    ),
  ) as Told | null

/** Returns the expected name servers: the network's own service. */
const nameServers = (mode: Mode) => [`${prefixOf(mode)}:2`]
const routersLinkLocal = (mode: Mode) => linkLocalOf(router.interfaces[modes.indexOf(mode)]!.mac)

describe('guests in a subnet', () => {
  test.for(['slaac', 'dhcpv6-stateless'] as const)(
    'in %s mode, generate a working address from the advertised prefix',
    async (mode) => {
      const guest = guests[mode]
      await expect.poll(() => globalAddresses(guest)).toEqual([`${guest.addresses[0]}/64`])
      expect(await defaultRoute(guest)).toContain(`via ${routersLinkLocal(mode)} `)
      expect(await flagsTold(guest)).toEqual([mode === 'slaac' ? 'plain' : 'other'])
      await expect.poll(() => from(guest, tryPing(`${prefixOf(mode)}:1`))).toBe('answered')
      expect(await from(guest, 'cat /proc/sys/net/ipv6/conf/eth0/mtu')).toBe('1450')
      // in these modes, DHCPv6 assigns no addresses, and provides other settings only if the mode is stateless
      expect((await ask(guest, 'address', silenceMs))?.addresses ?? []).toEqual([])
      const told = await ask(guest, 'rest', mode === 'slaac' ? silenceMs : undefined)
      expect(told).toEqual(mode === 'slaac' ? null : { addresses: [], nameServers: nameServers(mode) })
    },
  )

  test('in dhcpv6-stateful mode, get their port’s address and do not generate any', async () => {
    const mode = 'dhcpv6-stateful'
    await expect.poll(() => defaultRoute(guests[mode])).toContain(`via ${routersLinkLocal(mode)} `)
    expect(await flagsTold(guests[mode])).toEqual(['managed and other'])
    for (const guest of [guests[mode], second])
      expect(await ask(guest, 'address')).toEqual({ addresses: guest.addresses, nameServers: nameServers(mode) })
    expect(await globalAddresses(guests[mode])).toEqual([])
    await from(guests[mode], `ip addr add ${guests[mode].addresses[0]}/64 dev eth0 nodad`)
    await expect.poll(() => from(guests[mode], tryPing(`${prefixOf(mode)}:1`))).toBe('answered')
  })

  test(
    'in none mode, receive no configuration, but can use an address that is set manually',
    { tags: 'all' },
    async () => {
      const guest = guests.none
      expect([await ask(guest, 'address', silenceMs), await ask(guest, 'rest', silenceMs)]).toEqual([null, null])
      expect([await flagsTold(guest), await globalAddresses(guest), await defaultRoute(guest)]).toEqual([[], [], ''])
      await from(guest, `ip addr add ${guest.addresses[0]}/64 dev eth0 nodad`)
      await expect.poll(() => from(guest, tryPing(`${prefixOf('none')}:1`))).toBe('answered')
    },
  )
})
