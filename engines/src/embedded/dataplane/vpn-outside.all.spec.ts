import { peerConfigurationOf, PSK_PLACEHOLDER, type ConnectionHere } from '@mainstay/contract/vpn/peer-configuration'
import { proposalOf } from '@mainstay/contract/vpn/algorithms'
import { afterEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { createSampleNetworks, openBed, tryPing, type Bed } from './testing/bed'
import { openOutsideSite, type OutsideSite } from './testing/outside-site'
import { connectionOf } from '../../network-model/testing/vpn-examples'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../../network-model/testing/wanted-examples'

/*
 * A router and an independent strongSwan on another host beyond the uplink. The strongSwan is set up using only the
 * peer configuration that a connection provides.
 */

let bed: Bed | null = null
let site: OutsideSite | null = null
afterEach(async () => {
  await bed?.end()
  await site?.end()
  bed = site = null
})

const psk = 'a key that both ends know'
const external = networkOf(['198.51.100.0/24'], { external: { vlan: null } })
const east = networkOf(['10.40.0.0/24'])
const group = groupOf([...openOut(), {}])
const guest = portOf(east, 11, { securityGroups: [group.id] })
const router = routerOf([east], { network: external, at: 11 })

// creating another host requires root; the server on it runs as an ordinary user or as root
describe('a router and a site beyond the uplink', needs('root', 'networks', 'strongSwan'), () => {
  test.for([
    { rootless: true, version: 2 as const },
    { rootless: true, version: 1 as const },
    { rootless: false, version: 2 as const },
  ])('connect within five seconds (IKEv$version, rootless: $rootless)', async ({ rootless, version }, { annotate }) => {
    site = await openOutsideSite('userland')
    bed = await openBed({ rootless, host: site.host })
    const { calls } = bed
    const { vpn, available } = await calls.probe()
    expect({ available, missing: vpn.missing }).toEqual({ available: true, missing: null })
    const base = wantedOf({ networks: [external, east], ports: [guest], routers: [router], groups: [group] })
    await calls.apply(base)
    await calls.plug(guest.id)
    await createSampleNetworks(bed, base)
    // without a tunnel, the site is not reachable
    expect((await bed.from(guest.id, tryPing(site.inside))).trim()).toBe('silent')

    const algorithms = { encryption_algorithm: 'aes-256', auth_algorithm: 'sha256', pfs: 'group14' } as const
    const one = connectionOf(
      router,
      { address: site.address, ranges: [site.range] },
      { version, psk, ike: { proposal: proposalOf(algorithms), lifetime: 3600 } },
    )
    const here: ConnectionHere = {
      ...{ name: 'Head office', peer_address: one.peerAddress, peer_id: one.peerId },
      ike: { ...algorithms, ike_version: version === 1 ? 'v1' : 'v2', lifetime: { value: 3600 } },
      ipsec: { ...algorithms, lifetime: { value: 3600 } },
      ...{ local_address: one.localAddress, local_id: null, local_subnets: one.local, remote_subnets: one.remote },
      ...{ split_selector: false, initiator: 'bi-directional', dpd: { action: 'hold', interval: 2 } },
    }
    const said = await site.load(peerConfigurationOf(here).swanctl.replace(PSK_PLACEHOLDER, psk))
    expect(said).toContain('successfully loaded 1 connections')

    const begun = Date.now()
    const wanted = { ...base, vpns: [{ routerId: router.id, connections: [one] }] }
    expect([...(await calls.apply(wanted)).vpns]).toEqual([])
    await until('the tunnel', async () => (await calls.tunnels()).get(one.id)?.isUp, 20_000)
    const took = Date.now() - begun
    await annotate(`up after ${took} ms`)
    expect(took).toBeLessThan(5_000)
    expect((await bed.from(guest.id, tryPing(site.inside, 3))).trim()).toBe('answered')
    expect((await site.run(`${tryPing('10.40.0.11', 3)}\n`)).trim()).toBe('answered')
    // counters are read once a second
    const counted = async () => (await calls.tunnels()).get(one.id)!.traffic
    await until('both pings to be counted', async () => {
      const { packetsIn, packetsOut } = await counted()
      return packetsIn >= 2 && packetsOut >= 2
    })
  })
})
