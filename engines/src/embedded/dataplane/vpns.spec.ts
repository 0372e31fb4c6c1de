import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { asPeer, connectionOf, otherEnd } from '../../network-model/testing/vpn-examples'
import { openVpnWorld, type VpnWorld } from './testing/vpn-world'

const test = testOn('networks', 'strongSwan')

/* A tunnel between routers of two projects, with real packets. */

let world: VpnWorld
/**
 * Returns the unique IDs of the security associations of both routers, sorted because strongSwan lists them in any
 * order.
 */
const associations = async () => {
  const list = `swanctl --list-sas --raw --uri unix://$s 2>/dev/null | grep -o 'uniqueid=[0-9]*'`
  const said = await world.bed.run(
    'edge',
    `for s in ${world.bed.folder}/networks/k-*/vici.sock; do ${list} | sed "s|^|$s |"; done`,
  )
  return said.trim().split('\n').toSorted()
}

beforeAll(async () => {
  world = await openVpnWorld()
  expect(world.why).toBe(null)
})
afterAll(() => world.bed.end())

test('a tunnel between two routers comes up within five seconds, and goes down when its connection is deleted', async () => {
  const { bed, left, right, guest } = world
  const one = connectionOf(left, asPeer(right), { remote: ['10.30.0.0/24'] })
  const begun = Date.now()
  const theirs = otherEnd(right, left, one)
  const applied = await world.apply([one], [theirs])
  expect([...applied]).toEqual([])
  await until('the tunnel', () => world.isUp(one), 20_000)
  expect(Date.now() - begun).toBeLessThan(5_000)
  expect(await world.ping()).toBe('answered')
  const report = await world.reportOf(one)
  // there are two if both ends initiated at the same time
  expect(report?.children[0]).toMatchObject({ local: one.local, remote: one.remote })
  expect(report).toMatchObject({ cause: null, reason: null })

  // a new server process adopts the tunnel without packet loss
  await until('the other end', () => world.isUp(theirs), 20_000)
  // if both ends initiated, the second association follows a moment later
  let numbers: string[] = []
  await until('the associations to stay the same', async () => {
    const before = numbers
    numbers = await associations()
    await new Promise((done) => setTimeout(done, 1_000))
    return before.join() === numbers.join()
  })
  expect(numbers.join()).toMatch(/uniqueid=\d/)
  const log = `${bed.folder}/pings`
  await bed.from(guest, `ping -n -q -i 0.2 -c 25 -W 1 10.30.0.11 >${log} 2>&1 </dev/null &`)
  await bed.killServer()
  const again = await world.apply([one], [theirs])
  expect([...again]).toEqual([])
  // neither side created a new association; if two were created at the same time, one of them may be gone
  const kept = await associations()
  expect(numbers).toEqual(expect.arrayContaining(kept))
  const routers = new Set(kept.map((line) => line.split(' ')[0]!))
  expect(routers.size).toBe(2)
  // each router has an IKE SA and a child SA
  for (const its of routers) expect(kept.filter((line) => line.startsWith(`${its} `)).length).toBeGreaterThanOrEqual(2)
  const said = await until('the pings', async () => /^.*transmitted.*$/m.exec(readFileSync(log, 'utf8'))?.[0], 20_000)
  expect(said).toContain('25 packets transmitted, 25 received')

  await world.apply([], [])
  expect(await world.ping()).toBe('silent')
})
