import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { asPeer, connectionOf, otherEnd } from '../../network-model/testing/vpn-examples'
import { openVpnWorld, type VpnWorld } from './testing/vpn-world'
import type { WantedConnection } from '../../network-model/wanted-vpns'

const test = testOn('networks', 'strongSwan')

/*
 * Kills strongSwan. Its tunnels must be reported as down, come back automatically, and keep their traffic counters.
 */

let world: VpnWorld
let one: WantedConnection
let theirs: WantedConnection
beforeAll(async () => {
  world = await openVpnWorld()
  expect(world.why).toBe(null)
}, 60_000)
afterAll(() => world.bed.end())

async function bringUp(dpd: WantedConnection['dpd']['action']): Promise<void> {
  const { left, right } = world
  one = connectionOf(left, asPeer(right), { remote: ['10.30.0.0/24'], dpd: { action: dpd, interval: 1, timeout: 4 } })
  theirs = otherEnd(right, left, one, { begins: false })
  expect([...(await world.apply([one], [theirs]))]).toEqual([])
  await until('the tunnel', () => world.isUp(one), 20_000)
  expect(await world.ping(3)).toBe('answered')
}
const report = async () => (await world.reportOf(one))!
const isFresh = async (before: string) => {
  const { isUp, establishedAt } = await report()
  return isUp && establishedAt !== null && establishedAt > before
}

test.for(['left', 'right'] as const)(
  'the tunnel comes back after strongSwan on the %s is killed, alone or together with the server',
  { timeout: 300_000 },
  async (side, { annotate }) => {
    await bringUp('restart')
    const log = `${world.bed.folder}/pings-${side}`
    const stop = `${world.bed.folder}/stop-${side}`
    // prints one line with a timestamp per reply
    const pinging = world.bed.from(
      world.guest,
      `(while ! [ -e ${stop} ]; do ping -n -D -O -i 0.2 -c 5 -W 1 10.30.0.11; done) >${log} 2>&1 </dev/null`,
    )
    const silences: number[] = []
    for (const withServer of [false, true]) {
      const counted = (await report()).traffic.packetsOut
      const pid = (await world.charonOf(world[side]))!
      const at = new Date().toISOString()
      process.kill(pid, 'SIGKILL')
      if (withServer) {
        await world.bed.killServer()
        expect([...(await world.apply([one], [theirs]))]).toEqual([])
      }
      await until('another strongSwan', async () => {
        const now = await world.charonOf(world[side])
        return now !== null && now !== pid
      })
      await until('the tunnel made anew', () => isFresh(at), 30_000)
      expect(await until('an answer', async () => (await world.ping()) === 'answered', 20_000)).toBe(true)
      // a new server process counts from zero
      if (!withServer) expect((await report()).traffic.packetsOut).toBeGreaterThanOrEqual(counted)
      silences.push(longestSilence(readFileSync(log, 'utf8'), Date.parse(at)))
    }
    writeFileSync(stop, '')
    await pinging
    await annotate(`${side}: without an answer for ${silences.join(' and ')} ms`)
  },
)

/** Returns the longest time between two replies in the output of `ping -D` after `since`, in ms. */
function longestSilence(said: string, since: number): number {
  const times = [...said.matchAll(/^\[(\d+\.\d+)\] \d+ bytes from/gm)]
    .map(([, seconds]) => Number(seconds) * 1000)
    .filter((time) => time > since - 1000)
  return Math.round(Math.max(...times.slice(1).map((time, at) => time - times[at]!)))
}

test(
  'a tunnel whose strongSwan keeps crashing is reported as down, with the router as the cause',
  { timeout: 300_000 },
  async () => {
    await bringUp('hold')
    // counters are read once a second
    const packetsOut = async () => (await report()).traffic.packetsOut
    await expect.poll(packetsOut).toBeGreaterThan(0)
    const counted = await packetsOut()
    let isOver = false
    const killing = (async () => {
      while (!isOver) {
        const pid = await world.charonOf(world.left)
        if (pid !== null) process.kill(pid, 'SIGKILL')
      }
    })()
    try {
      await until('the cause', async () => (await report()).cause === 'router', 30_000)
      const told = await report()
      expect(told).toMatchObject({ isUp: false, establishedAt: null, children: [] })
      expect(told.traffic.packetsOut).toBeGreaterThanOrEqual(counted)
      expect(told.reason).toContain('strongSwan')
      expect(await world.ping()).toBe('silent')
    } finally {
      isOver = true
      await killing
    }
    // the tunnel comes back even if no packet waits for it
    await until('the tunnel', () => world.isUp(one), 30_000)
    expect(await world.ping(3)).toBe('answered')
    expect(await report()).toMatchObject({ cause: null, reason: null })
    await expect.poll(packetsOut).toBeGreaterThan(counted)
  },
)
