import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { tier } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { balancerSpaceOf } from '../../network-model/names'
import { balancerOf, memberOf, monitorOf, poolOf } from '../../network-model/testing/balancer-examples'
import { begunFile, counted, longestSilence, requests, udpAsk, webServer } from './testing/balancer-traffic'
import { modes } from './testing/driver-process'
import { createSampleNetworks, knowMembers, openBed, processesHere, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'
import type { WantedNetworks, WantedPort } from '../../network-model/wanted'
import type { AmphoraRole, WantedBalancer } from '../../network-model/wanted-balancers'

/*
 * Real high-availability pairs that run HAProxy and keepalived in a capsule, with one active node each. Members and
 * clients are namespaces.
 */

function topology(cidr: string, own: string) {
  const net = networkOf([cidr])

  const a = portOf(net, 11)
  const client = portOf(net, 20)
  const pool = poolOf({ members: [memberOf(a.addresses[0]!)], monitor: monitorOf('http', { delay: 3, rise: 3 }) })
  const udp = poolOf({ mode: 'udp', port: 53, memberPort: 9090, members: [memberOf(a.addresses[0]!)] })
  const { balancer, port } = balancerOf(net, 100, [pool, udp], { amphoraIds: [randomUUID(), randomUUID()] })
  // admits only the load balancer's address
  const guarded = groupOf([
    ...openOut(),
    { remote: { cidr: `${own}/${own.includes(':') ? 128 : 32}` }, version: own.includes(':') ? 6 : 4 },
  ])
  const open = groupOf([...openOut(), {}, { version: 6 }])
  a.securityGroups = [guarded.id]
  client.securityGroups = [open.id]
  const wanted = wantedOf({ networks: [net], ports: [a, client, port], groups: [guarded, open], balancers: [balancer] })
  return { wanted, balancer, pool, a, client }
}

const ranges = { v4: { cidr: '10.0.0.0/24', own: '10.0.0.100' }, v6: { cidr: 'fd00:5::/64', own: 'fd00:5::100' } }

describe.each(modes.map(({ rootless }) => ({ rootless, ...ranges[rootless ? 'v4' : 'v6'] })))(
  'a highly available load balancer (rootless: $rootless) at $own',
  ({ rootless, cidr, own }) => {
    const test = rootless ? testOn('networks', 'keepalived') : testOn('root', 'networks', 'keepalived')
    let bed: Bed
    const { wanted, balancer, pool, a, client } = topology(cidr, own)
    let current: WantedBalancer = balancer
    let pid = 0
    const from = (port: WantedPort, script: string) => bed.from(port.id, script).then((said) => said.trim())
    const url = `http://${own.includes(':') ? `[${own}]` : own}/`
    const roles = async () => (await bed.calls.balancers()).get(balancer.id)?.roles ?? new Map<string, AmphoraRole>()
    const withRole = async (role: AmphoraRole) => [...(await roles())].find(([, it]) => it === role)?.[0] ?? null
    const apply = (next: WantedBalancer) => {
      current = next
      return bed.calls.apply({ ...wanted, balancers: [next] } satisfies WantedNetworks)
    }
    async function until(what: string, isSo: () => Promise<boolean>, withinMs = 30_000) {
      for (const end = Date.now() + withinMs; !(await isSo()); await new Promise((done) => setTimeout(done, 50)))
        if (Date.now() > end) throw new Error(`${what}: ${JSON.stringify([...(await roles())])}`)
    }
    const isWhole = async () => {
      const all = [...(await roles()).values()]
      return all.includes('master') && all.includes('backup')
    }
    const healthOf = async () =>
      (await bed.calls.balancers()).get(balancer.id)?.members.get(pool.members[0]!.id)?.health

    beforeAll(async () => {
      bed = await openBed({ rootless })
      expect(await bed.calls.probe()).toMatchObject({ available: true, programs: { keepalived: expect.any(String) } })
      expect([...(await apply(balancer)).balancers]).toEqual([])
      for (const { id, owner } of wanted.ports) if (owner === 'instance') await bed.calls.plug(id)
      await createSampleNetworks(bed, wanted)
      pid = Number((await from(a, webServer('aa'))).split('\n').at(-1))
      await until('one of the two answers', isWhole)
      await until('the member is up', async () => (await healthOf()) === 'up')
    })
    afterAll(async () => {
      if (pid > 0) process.kill(pid, 'SIGKILL')
      await bed.end()
    })

    /**
     * Waits until both amphorae have had their roles for longer than a killed process takes to be noticed: until then,
     * the recorded role is the one from before. Returns the IDs by role.
     */
    async function settled(withinMs = 30_000) {
      let last = ''
      let since = Date.now()
      await until(
        'both have had a role for a while',
        async () => {
          const now = JSON.stringify([...(await roles())])
          if (now !== last || !(await isWhole())) since = Date.now()
          last = now
          return Date.now() - since > 1500
        },
        withinMs,
      )
      const found = new Map((JSON.parse(last) as [string, AmphoraRole][]).map(([id, role]) => [role, id]))
      return { master: found.get('master')!, backup: found.get('backup')! }
    }

    /** Sends requests while `happens` runs. Returns the longest time without a response, in ms. */
    async function silenceOf(happens: () => Promise<unknown>): Promise<number> {
      await until('both know the member', () => knowMembers(bed, current.amphoraIds))
      const stopFile = join(bed.folder, `enough-${randomUUID()}`)
      const load = from(client, longestSilence(own, stopFile))
      await until('it is answered', async () => existsSync(begunFile(stopFile)))
      await happens()
      await settled()
      writeFileSync(stopFile, '')
      const { longest, good } = JSON.parse((await load).split('\n').at(-1)!) as { longest: number; good: number }
      expect(good).toBeGreaterThan(10)
      return longest
    }
    const processesOf = async (amphoraId: string, program: string) =>
      (await bed.run(balancerSpaceOf(amphoraId), processesHere(program))).trim().split('\n')

    test('has its address on one node, which forwards TCP and UDP', async () => {
      await expect.poll(async () => [...(await roles()).values()].toSorted()).toEqual(['backup', 'master'])
      expect(counted(await from(client, requests(url, 4, '-g')))).toEqual({ aa: 4 })
      expect(counted(await from(client, udpAsk(own, 53, 2)))).toEqual({ aa: 2 })
    })

    // the next test also kills keepalived
    test.for(tier === 'gate' ? ['haproxy'] : ['haproxy', 'keepalived'])(
      'interrupts service for less than 3 s when %s on the active node is killed',
      { tags: 'all' },
      async (program) => {
        const silence = await silenceOf(async () => {
          const pids = await processesOf((await withRole('master'))!, program)
          await bed.run('edge', `kill -9 ${pids.join(' ')}`)
          await bed.look()
        })
        expect(silence).toBeLessThan(3000)
      },
    )

    test('moves its address when all processes of the active node are killed, and keeps it there when they restart', async () => {
      const { master: killed, backup: other } = await settled()
      const carrying = (await processesOf(killed, 'bash')).join(' ')
      // delays the restart until the process is killed below
      await bed.run('edge', `kill -STOP ${carrying}`)
      await bed.run(balancerSpaceOf(killed), `kill -9 $(${processesHere('haproxy', 'keepalived')})`)
      await until('the other one has it', async () => (await withRole('master')) === other)
      const silence = await silenceOf(() => bed.run('edge', `kill -9 ${carrying}`))
      expect(silence).toBeLessThan(1000)
      expect(await withRole('master')).toBe(other)
      // the restarted node has no role while its HAProxy does not answer yet
      await expect.poll(() => withRole('backup')).toBe(killed)
    })

    if (tier !== 'gate')
      test(
        'interrupts service for less than 3 s when the active node is replaced, and applies later changes',
        { tags: 'all' },
        async () => {
          const replaced = (await withRole('master'))!
          const silence = await silenceOf(async () => {
            const amphoraIds = current.amphoraIds.map((id) => (id === replaced ? randomUUID() : id))
            expect(Object.fromEntries((await apply({ ...current, amphoraIds })).balancers)).toEqual({})
          })
          expect(silence).toBeLessThan(3000)
          expect([...(await roles()).keys()]).not.toContain(replaced)
          // the active node stays active when both nodes are reconfigured or the server is restarted
          await expect.poll(() => withRole('master')).not.toBeNull()
          const master = await withRole('master')
          const [http, udp] = current.pools
          const changed = { ...http!, connectionLimit: 500, members: [memberOf(a.addresses[0]!, { weight: 5 })] }
          expect([...(await apply({ ...current, gateway: null, pools: [changed, udp!] })).balancers]).toEqual([])
          await bed.killServer()
          expect([...(await apply(current)).balancers]).toEqual([])
          await expect.poll(() => withRole('master')).toBe(master)
          expect(counted(await from(client, requests(url, 4, '-g')))).toEqual({ aa: 4 })
        },
      )
  },
)
