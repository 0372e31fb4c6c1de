import { afterAll, beforeAll, describe, expect } from 'vitest'
import { tier } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { createSampleNetworks, openBed, tryPing, type Bed } from './testing/bed'
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
import type { WantedPort } from '../../network-model/wanted'

const test = testOn('networks')

/* Addresses that move to another router, as seen by their neighbours. Guests are namespaces; packets are real. */

const [left, right] = [networkOf(['10.0.0.0/24', 'fd00:a::/64']), networkOf(['10.1.0.0/24'])]
const external = networkOf(
  ['203.0.113.0/24', '2001:db8:9::/64'].map((cidr) =>
    subnetOf(cidr, { serviceAddress: null, dhcp: false, mode: null }),
  ),
  { external: { vlan: null } },
)
const group = groupOf([...openOut(), { protocol: 'icmp' }, { version: 6, protocol: 'icmpv6' }])
const guarded = { securityGroups: [group.id] }
const [inside, other, neighbour] = [
  portOf(left, 11, guarded),
  portOf(right, 12, guarded),
  portOf(external, 20, guarded),
]
const first = routerOf([left], { network: external, at: 10 })
const second = routerOf([right], { network: external, at: 11 })
const floating = floatingOf('203.0.113.50', first, inside)
const wanted = wantedOf({
  networks: [left, right, external],
  ports: [inside, other, neighbour],
  ...{ routers: [first, second], groups: [group], floating: [floating] },
})

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
  await bed.calls.apply(wanted)
  await Promise.all(wanted.ports.map(({ id }) => bed.calls.plug(id)))
  await createSampleNetworks(bed, wanted)
})
afterAll(() => bed.end())

const from = (port: WantedPort, script: string) => bed.from(port.id, script).then((said) => said.trim())

/** Fills the neighbour cache, so that only an announcement can change the entry. */
const knowsOf = (port: WantedPort, address: string, mac: string) =>
  from(port, `ip neigh replace ${address} lladdr ${mac} nud stale dev eth0`)
const knownMac = (port: WantedPort, address: string) =>
  from(port, `ip neigh show ${address} dev eth0 | grep -o 'lladdr [0-9a-f:]*' | cut -d' ' -f2`)

const countAnnouncements = (port: WantedPort, address: string) => {
  const what = address.includes(':')
    ? `icmpv6 type nd-neighbor-advert ip6 daddr ff02::1`
    : `arp saddr ip ${address} arp daddr ip ${address} ether daddr ff:ff:ff:ff:ff:ff`
  return from(
    port,
    `nft -f - <<'END'
table netdev seen {
 chain enter { type filter hook ingress device eth0 priority 0;
  ${what} counter comment "${address}"
 }
}
END`,
  )
}
const announcements = async (port: WantedPort, address: string) =>
  Number(/counter packets (\d+)/.exec(await from(port, `nft list ruleset | grep '"${address}"'`))?.[1])

const gateways = tier === 'gate' ? ['10.0.0.1'] : ['10.0.0.1', 'fd00:a::1']

describe('an address that moves to another router', () => {
  test.for(gateways)('is announced when it is the gateway address %s', { tags: 'all' }, async (gateway) => {
    const [before] = first.interfaces
    const moved = { ...before!, portId: second.interfaces[0]!.portId.replace(/^./, 'a'), mac: '52:54:00:aa:00:01' }
    expect(await from(inside, tryPing(gateway))).toBe('answered')
    await knowsOf(inside, gateway, before!.mac)
    await countAnnouncements(inside, gateway)
    await bed.calls.apply({
      ...wanted,
      floating: [],
      routers: [
        { ...first, interfaces: [] },
        { ...second, interfaces: [...second.interfaces, moved] },
      ],
    })
    await expect.poll(() => knownMac(inside, gateway)).toBe(moved.mac)
    expect(await from(inside, tryPing(gateway))).toBe('answered')
    // the first announcement is sent immediately and may be missed by neighbours, so it is repeated for a few seconds
    await expect.poll(() => announcements(inside, gateway), { timeout: 20_000 }).toBeGreaterThan(2)
    await bed.calls.apply(wanted)
    await from(inside, 'nft flush ruleset')
  })

  test('is announced when it is a floating IP, so that traffic moves to the new router at once', async () => {
    expect(await from(neighbour, tryPing('203.0.113.50'))).toBe('answered')
    expect(await knownMac(neighbour, '203.0.113.50')).toBe(first.gateway!.mac)
    await knowsOf(neighbour, '203.0.113.50', first.gateway!.mac)
    await countAnnouncements(neighbour, '203.0.113.50')

    await bed.calls.apply({
      ...wanted,
      floating: [{ ...floating, routerId: second.id, portId: other.id, fixedAddress: '10.1.0.12' }],
    })
    await expect.poll(() => knownMac(neighbour, '203.0.113.50')).toBe(second.gateway!.mac)
    expect(await announcements(neighbour, '203.0.113.50')).toBeGreaterThan(0)
    expect(await from(neighbour, tryPing('203.0.113.50'))).toBe('answered')
    await bed.calls.apply(wanted)
  })
})
