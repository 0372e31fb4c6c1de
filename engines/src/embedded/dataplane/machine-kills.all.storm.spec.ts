import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect } from 'vitest'
import { randomOf, rounds, seedOr } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import type { MachineSpec } from '../hypervisor'
import { diskOf, guestImage, nicOf, specOf } from '../qemu/testbed'
import { asOrdinary, folderOf, giveTo, removeFolder, startDriver, type DriverProcess } from './testing/driver-process'
import type { MachinesDriverCalls } from './testing/machines-driver'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'

const test = testOn('QEMU', 'networks')

/*
 * Kills all processes of networks and instances in random order while guests communicate: the server, the processes of
 * the capsule, its services, and the QEMU process of one guest.
 */

const network = networkOf(['10.44.0.0/24'], { nat: true })
const group = groupOf([...openOut(), { protocol: 'tcp' }, { protocol: 'icmp' }])
const ports = [21, 22, 23].map((at) => portOf(network, at, { securityGroups: [group.id] }))
const wanted = wantedOf({ networks: [network], ports, groups: [group] })
const timesOfEach = rounds({ gate: 1, all: 2, long: 20 })
const seed = seedOr(3)

let folder = ''
let driver: DriverProcess<MachinesDriverCalls> | null = null
let guests: MachineSpec[] = []

beforeAll(async () => {
  folder = folderOf('mainstay-kills-', true)
  driver = await startDriver<MachinesDriverCalls>('machines-driver', folder, asOrdinary(true))
  expect(await driver.calls.facts()).toMatchObject({ available: true, missing: [] })
  await driver.calls.apply(wanted)
  guests = ports.map(({ id, mac, addresses }) => {
    const path = join(folder, `${id}.qcow2`)
    copyFileSync(guestImage(), path)
    giveTo(path, true)
    const nic = nicOf({ id, mac, address: addresses[0]!, cidr: '10.44.0.0/24', port: { orNat: false } })
    return specOf([diskOf(path, { bootIndex: 0 })], { onSwitches: true, nics: [nic] })
  })
  await Promise.all(guests.map((guest) => driver!.calls.boot(guest)))
}, 600_000)
afterAll(async () => {
  await driver?.calls.finish().catch(() => undefined)
  await driver?.end()
  removeFolder(folder)
}, 120_000)

const say = (at: number, command: string) => driver!.calls.ask(guests[at]!.id, command)
const read = <Content>(...names: string[]) => JSON.parse(readFileSync(join(folder, ...names), 'utf8')) as Content
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

/** Returns the running processes by role, excluding the server. */
function standing(): Map<string, number> {
  const { holder, slirp } = read<Record<'holder' | 'slirp', { pid: number }>>('network', 'capsule.json')
  const services = read<Record<string, { process: { pid: number } }>>('networks', 'services.json')
  const qemu = read<{ process: { pid: number } }>('machines', guests[2]!.id, 'machine.json')
  return new Map([
    ['holder', holder.pid],
    ['slirp4netns', slirp.pid],
    ...Object.entries(services).map(
      ([
        key,
        {
          process: { pid },
        },
      ]) => [key, pid] as const,
    ),
    ['qemu', qemu.process.pid],
  ])
}
const everythingStands = () => [...standing().values()].every(isAlive)

/** Returns false if the process has already ended because another one is replacing it. */
function kill(victim: string): boolean {
  try {
    return process.kill(standing().get(victim)!, 'SIGKILL')
  } catch {
    return false
  }
}

function shuffled<Item>(items: Item[]): Item[] {
  const random = randomOf(seed)
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)
}

test(
  'connections between guests survive every kill except that of a guest’s own QEMU process',
  { timeout: 600_000 + timesOfEach * 600_000 },
  async () => {
    // the first two guests keep a connection open; the QEMU process of the third is killed
    await say(1, 'nc -l -p 7000 -e cat >/dev/null 2>&1 </dev/null & echo serves')
    const talk =
      'rm -f /tmp/way; mkfifo /tmp/way; { nc 10.44.0.22 7000 </tmp/way >/tmp/heard; echo >/tmp/ended; } & exec 3>/tmp/way; while sleep 0.2; do echo x >&3; done'
    await say(0, `{ ${talk}; } >/dev/null 2>&1 </dev/null & echo talks`)
    const heard = async () => Number(await say(0, 'wc -l </tmp/heard'))
    await expect.poll(heard).toBeGreaterThan(3)
    const answers = () => say(0, 'ping -c 1 -W 3 10.44.0.23 >/dev/null && echo yes')
    await expect.poll(answers, { timeout: 60_000 }).toBe('yes')

    const kinds = ['server', ...standing().keys()]
    expect(kinds.length).toBeGreaterThanOrEqual(6)
    for (const victim of shuffled(Array.from({ length: timesOfEach }, () => kinds).flat())) {
      const before = await heard()
      if (victim === 'server') {
        await driver!.restart()
        await driver!.calls.apply(wanted)
      } else await expect.poll(() => kill(victim), { interval: 50 }).toBe(true)
      if (victim === 'qemu') {
        await expect.poll(() => driver!.calls.state(guests[2]!.id)).toBe('crashed')
        await driver!.calls.boot(guests[2]!)
      }
      await expect.poll(everythingStands, { interval: 50 }).toBe(true)
      await expect.poll(heard).toBeGreaterThan(before)
      // only the guest that was killed loses packets
      await expect.poll(answers, { timeout: 60_000 }).toBe('yes')
      expect(await say(0, '[ -e /tmp/ended ] && echo ended'), `after ${victim}, seed ${seed}`).toBe('')
    }
  },
)
