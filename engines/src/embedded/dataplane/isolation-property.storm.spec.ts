import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { rounds, seedOr } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { isRoot } from './capsule/processes'
import { listener, speaker, type Said } from './testing/balancer-traffic'
import { createSampleNetworks, openBed, type Bed } from './testing/bed'
import { consentOf, heardAt, randomTenants, type TenantNetwork, type TenantsWorld } from './testing/random-tenants'

const test = testOn('networks', 'strongSwan')

/*
 * Random tenants with the same ranges, whose balancers are told to pass on to everybody, and whose tunnels are wanted by both ends, by
 * one, or with another key. Guests say to all addresses which network they are in, directly and through their tenant's balancer;
 * each hears its own tenant, and who both ends of a tunnel let speak.
 */

const worlds = rounds({ gate: 1, all: 3, long: 50 })
const seed = seedOr(11)

let bed: Bed
const pids: number[] = []
beforeAll(async () => {
  bed = await openBed({ rootless: !isRoot() })
})
afterAll(() => bed.end())

/** What each guest hears, by the names of networks. */
async function heardIn({ tenants, consented }: TenantsWorld): Promise<Map<string, Set<string>>> {
  const guests = tenants.flatMap((tenant) =>
    tenant.networks.flatMap((own) => own.guests.map((guest) => ({ tenant, own, guest }))),
  )
  const fileOf = (id: string) => join(bed.folder, `heard-${id}`)
  await Promise.all(
    guests.map(async ({ guest }) => {
      const said = await bed.from(guest.id, listener(fileOf(guest.id), heardAt))
      pids.push(Number(said.trim().split('\n').at(-1)))
    }),
  )
  const all = new Set(guests.flatMap(({ guest }) => guest.addresses))
  await Promise.all(
    guests.map(({ tenant, own, guest }) => {
      const direct = [...all].map((to): Said => ({ to, words: own.name, times: 1 }))
      const vips = new Set(tenants.map(({ vip }) => vip))
      const balanced = [...vips].flatMap((to): Said[] => {
        if (to === tenant.vip) return [{ to, words: balancedFrom(tenant.front), times: 8 }]
        // what comes to a balancer by a tunnel that its tenant wants is passed on to all of that tenant
        const isConsented = tenants.some(({ vip, front }) => vip === to && consented.has(consentOf(front, own)))
        return isConsented ? [] : [{ to, words: own.name, times: 1 }]
      })
      return bed.from(guest.id, speaker([...direct, ...balanced], heardAt))
    }),
  )
  const linesOf = (id: string) => readFileSync(fileOf(id), 'utf8').split('\n').filter(Boolean)
  return new Map(guests.map(({ guest }) => [guest.id, new Set(linesOf(guest.id))]))
}

const balancedFrom = ({ name }: { name: string }) => `${name} balanced`

/** Of its own tenant and its balancer, and of what may speak to it through a tunnel. */
const mayHear = ({ tenants, consented }: TenantsWorld): Map<string, string[]> =>
  new Map(
    tenants.flatMap((tenant) =>
      tenant.networks.flatMap((own) => {
        const heard = tenants.flatMap((other) => {
          const reaches = (it: TenantNetwork) => other === tenant || consented.has(consentOf(it, own))
          return [
            ...other.networks.filter(reaches).map(({ name }) => name),
            ...[other.front].filter(reaches).map(balancedFrom),
          ]
        })
        return own.guests.map(({ id }): [string, string[]] => [id, heard.toSorted()])
      }),
    ),
  )

test(
  'balancers and tunnels lead to nobody of another tenant who does not want it',
  { timeout: 60_000 + worlds * 60_000 },
  async () => {
    for (let round = 0; round < worlds; round++) {
      const world = randomTenants(seed + round)
      const { wanted } = world
      const applied = await bed.calls.apply(wanted)
      const faults = [...applied.networks, ...applied.routers, ...applied.ports, ...applied.balancers, ...applied.vpns]
      expect(faults, `seed ${seed + round}`).toEqual([])
      for (const { id, owner } of wanted.ports) if (owner === 'instance') await bed.calls.plug(id)
      await createSampleNetworks(bed, wanted)
      await until(
        `the tunnels of seed ${seed + round}`,
        async () => {
          const reports = await bed.calls.tunnels()
          return world.agreed.every((id) => reports.get(id)?.isUp)
        },
        30_000,
      )
      try {
        const heard = await heardIn(world)
        const found = [...heard].map(([id, names]) => [id, [...names].toSorted()])
        expect(found, `seed ${seed + round}`).toEqual([...mayHear(world)])
      } finally {
        for (const pid of pids.splice(0)) process.kill(pid, 'SIGKILL')
      }
    }
  },
)
