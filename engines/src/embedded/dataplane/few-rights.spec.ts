import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { withFewRights } from '../../../../tools/lib/root-rights.mjs'
import { serviceUser } from '../../host/service-users'
import { networkSpaceOf, routerSpaceOf } from './names'
import { balancerOf, memberOf, monitorOf, poolOf } from './testing/balancer-examples'
import { furnish, openBed, processesHere, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from './testing/wanted-examples'

/* The programs of networks under the capability bounding set that `npm start` leaves a server of root. */

/** Numbers of capabilities (linux/capability.h). */
const [netBindService, netAdmin, netRaw] = [10n, 12n, 13n]

function topology() {
  const network = networkOf(['10.0.0.0/24', 'fd00:a::/64'])
  const open = groupOf([...openOut(), {}, { version: 6 }])
  const guest = portOf(network, 11, { securityGroups: [open.id] })
  const pool = poolOf({ members: [memberOf('10.0.0.11')], monitor: monitorOf('ping') })
  const { balancer, port } = balancerOf(network, 100, [pool], { amphoraIds: [randomUUID(), randomUUID()] })
  const router = routerOf([network], null)
  const wanted = wantedOf({
    ...{ networks: [network], ports: [guest, port], groups: [open], routers: [router], balancers: [balancer] },
  })
  return { wanted, network, guest, router, balancer, pool }
}

describe('a server of root that `npm start` starts', () => {
  const test = testOn('root', 'networks', 'keepalived')
  const { wanted, network, guest, router, balancer, pool } = topology()
  let bed: Bed

  beforeAll(async () => {
    const { file, args } = withFewRights([]) ?? { file: 'true', args: [] }
    bed = await openBed({ rootless: false, host: [file, ...args] })
  })
  afterAll(() => bed.end())

  test('router advertisements, a highly available balancer and ping health checks work', async () => {
    const applied = await bed.calls.apply(wanted)
    expect([...applied.balancers.values(), ...applied.routers.values(), ...applied.networks.values()]).toEqual([])
    await bed.calls.plug(guest.id)
    await furnish(bed, wanted)
    const report = async () => (await bed.calls.balancers()).get(balancer.id)
    await expect
      .poll(async () => [...((await report())?.roles.values() ?? [])].toSorted())
      .toEqual(['backup', 'master'])
    await expect.poll(async () => (await report())?.members.get(pool.members[0]!.id)?.health).toBe('up')
    expect(await bed.run(routerSpaceOf(router.id), processesHere('dnsmasq'))).toMatch(/^\d+\n$/)
  })

  test.for([
    { what: 'a network', space: networkSpaceOf(network.id), bits: [netBindService, netAdmin] },
    { what: 'a router', space: routerSpaceOf(router.id), bits: [netBindService, netAdmin, netRaw] },
  ])('dnsmasq of $what is never root and has only the capabilities that it needs', async ({ space, bits }) => {
    await bed.calls.apply(wanted)
    const pid = (await bed.run(space, processesHere('dnsmasq'))).trim()
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)![1]!.trim().split(/\s+/)
    const user = (await serviceUser('dns'))!
    expect(new Set(of('Uid'))).toEqual(new Set([`${user.uid}`]))
    expect(new Set(of('Gid'))).toEqual(new Set([`${user.gid}`]))
    expect(['0', `${(await serviceUser('vm'))!.uid}`]).not.toContain(`${user.uid}`)
    const mask = bits.reduce((sum, bit) => sum | (1n << bit), 0n)
    for (const set of ['CapPrm', 'CapEff', 'CapBnd']) expect(BigInt(`0x${of(set)[0]}`), set).toBe(mask)
    expect(of('NoNewPrivs')).toEqual(['1'])
  })
})
