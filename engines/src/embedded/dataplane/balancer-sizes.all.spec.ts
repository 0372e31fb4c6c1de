import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect } from 'vitest'
import { MAX_MEMBERS } from '@mainstay/contract/load-balancing/members'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { isRoot } from './capsule/processes'
import { balancerSpaceOf } from '../../network-model/names'
import { balancerOf, memberOf, monitorOf, poolOf } from '../../network-model/testing/balancer-examples'
import { counted } from './testing/balancer-traffic'
import { createSampleNetworks, openBed, processesHere, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'
import type { WantedMember } from '../../network-model/wanted-balancers'

const test = testOn('networks')

/*
 * The largest load balancer that the API allows, with real traffic. All members share one namespace, in which each has
 * its own address.
 */

const addresses = Array.from({ length: MAX_MEMBERS }, (_, at) => `10.0.${1 + (at >> 7)}.${1 + (at & 127)}`)
const network = networkOf(['10.0.0.0/16'])
const group = groupOf([...openOut(), {}])
const [all, client] = [
  portOf(network, 11, { securityGroups: [group.id], spoofingProtection: false }),
  portOf(network, 12, { securityGroups: [group.id] }),
]
all.addresses = ['10.0.0.11', ...addresses]
all.securityGroups = []

let bed: Bed
let server = 0
beforeAll(async () => {
  bed = await openBed({ rootless: !isRoot() })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
})
afterAll(async () => {
  if (server > 0) process.kill(server, 'SIGKILL')
  await bed.end()
})

/** HTTP server that responds with the address at which it received the request. */
const serving = `cat >/tmp/all-$$.mjs <<'JS'
import { createServer } from 'node:http'
createServer((request, response) => response.end(request.socket.localAddress + '\\n')).listen(8080, '0.0.0.0')
JS
setsid '${process.execPath}' /tmp/all-$$.mjs >/dev/null 2>&1 &
for n in $(seq 200); do (: </dev/tcp/127.0.0.1/8080) 2>/dev/null && break; sleep 0.05; done; echo $!`

const medianOf = (times: readonly number[]) => times.toSorted((one, other) => one - other)[times.length >> 1]!

test('1,000 members pass health checks and all serve requests, and a change to one takes effect within 150 ms', async ({
  annotate,
}) => {
  const members = addresses.map((address) => memberOf(address))
  const pool = poolOf({ monitor: monitorOf('http', { delay: 5 }), members })
  const { balancer, port } = balancerOf(network, 100, [pool])
  const wantedWith = (some: readonly WantedMember[]) =>
    wantedOf({
      ...{ networks: [network], ports: [all, client, port], groups: [group] },
      balancers: [{ ...balancer, pools: [{ ...pool, members: [...some] }] }],
    })
  const apply = async (some: readonly WantedMember[]) => {
    const begun = performance.now()
    expect([...(await bed.calls.apply(wantedWith(some))).balancers]).toEqual([])
    return performance.now() - begun
  }
  await bed.calls.apply({ ...wantedWith([]), balancers: [] })
  for (const { id } of [all, client]) await bed.calls.plug(id)
  await createSampleNetworks(bed, wantedWith([]))
  server = Number((await bed.from(all.id, serving)).trim().split('\n').at(-1))

  const made = await apply(members)
  const asked = performance.now()
  await until(
    'all to be found healthy',
    async () => {
      const found = (await bed.calls.balancers()).get(balancer.id)?.members
      return found && members.every(({ id }) => found.get(id)?.health === 'up')
    },
    60_000,
  )
  const healthy = performance.now() - asked
  const url = 'http://10.0.0.100/'
  const list = join(bed.folder, 'asks')
  // use a single connection, because starting a thousand processes is slow
  const ask = async (count: number) => {
    writeFileSync(list, Array.from({ length: count }, () => `url = "${url}"`).join('\n'), { mode: 0o644 })
    return counted(await bed.from(client.id, `curl -s -m 60 -K '${list}'`))
  }
  const answers = await ask(MAX_MEMBERS)
  expect(Object.keys(answers).toSorted()).toEqual(addresses.toSorted())

  const space = balancerSpaceOf(balancer.amphoraIds[0]!)
  const pids = async () => (await bed.run(space, processesHere('haproxy'))).trim().split('\n').toSorted()
  const before = await pids()
  const memory = Math.max(
    ...before.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])),
  )
  const times: number[] = []
  let now = members
  for (let at = 0; at < 21; at++) {
    now = now.map((it, index) => (index === at ? { ...it, weight: 5 } : it)).filter((_, index) => index !== 500 + at)
    times.push(await apply(now))
  }
  const others = now.map((it) => ({ ...it, weight: 2 }))
  const every = await apply(others)
  // no process was replaced
  expect(await pids()).toEqual(before)
  const after = await ask(others.length)
  expect(after).not.toHaveProperty([addresses[500]!])
  expect(Object.keys(after).every((address) => others.some((it) => it.address === address))).toBe(true)
  // changing any other setting requires a reload, which preserves the known health of all members
  const begun = performance.now()
  const limited = wantedWith(others)
  limited.balancers[0]!.pools[0]!.connectionLimit = 5000
  expect([...(await bed.calls.apply(limited)).balancers]).toEqual([])
  const reloaded = performance.now() - begun
  expect(Object.keys(await ask(100))).toHaveLength(100)
  await annotate(
    `${MAX_MEMBERS} members: made in ${Math.round(made)} ms, all healthy ${Math.round(healthy)} ms later, ${Math.round(memory / 1024)} MiB, a change ${Math.round(medianOf(times))} ms (${times.map(Math.round).join(', ')}), a change of all ${Math.round(every)} ms, another configuration ${Math.round(reloaded)} ms`,
  )
  expect(memory).toBeLessThan(256 * 1024)
  // use the minimum, because other load on this machine slows down individual runs
  expect(Math.min(...times)).toBeLessThan(150)
})
