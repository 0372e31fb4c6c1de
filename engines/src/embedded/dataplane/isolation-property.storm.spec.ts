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
 * Random tenants with the same address ranges. Their load balancers list all guests as members, and their tunnels are
 * configured at both ends, at one end only, or with different keys. Guests send their network's name to all addresses,
 * directly and through the load balancers. Each guest must receive only messages from its own tenant and from tunnels
 * that both ends agreed on.
 */

const worlds = rounds({ gate: 1, all: 3, long: 50 })
const seed = seedOr(11)

let bed: Bed
const pids: number[] = []
beforeAll(async () => {
  bed = await openBed({ rootless: !isRoot() })
})
afterAll(() => bed.end())

/** Returns the messages received by each guest, by guest ID. */
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
        // traffic that reaches a load balancer through an agreed tunnel is forwarded to all guests of its tenant
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

/**
 * Returns the messages that each guest may receive: from its own tenant and load balancer, and through agreed tunnels.
 */
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
  'load balancers and tunnels reach no guest of another tenant without its consent',
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
