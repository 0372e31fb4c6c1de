import process from 'node:process'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { createSampleNetworks, openBed, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'
import type { WantedPort } from '../../network-model/wanted'

const test = testOn('networks')

/* Rate limits of a port, measured with transfers between namespaces that act as guests. */

const network = networkOf(['10.0.0.0/24'])
const group = groupOf([...openOut(), { protocol: 'tcp' }])
const [limited, free] = [11, 12].map((at) => portOf(network, at, { securityGroups: [group.id] })) as [
  WantedPort,
  WantedPort,
]
const plan = (rate: WantedPort['rate']) =>
  wantedOf({ networks: [network], ports: [{ ...limited, rate }, free], groups: [group] })
const megabit = 1_000_000

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
  await bed.calls.apply(plan(null))
  await Promise.all([limited, free].map(({ id }) => bed.calls.plug(id)))
  await createSampleNetworks(bed, plan(null))
})
afterAll(() => bed.end())

/** The initial burst is over after `settleMs`; throughput is measured for `measuredMs` after that. */
const [settleMs, measuredMs] = [1_000, 2_500]
const node = (program: string) => `'${process.execPath}' -e "${program}"`
const receive = node(
  `const server = require('net').createServer((s) => { let from = 0, at = 0, all = 0; s.on('error', () => 0).on('data', (part) => { all += part.length; const now = performance.now(); at ||= now; if (!from && now - at > ${settleMs}) { from = all; at = now; } if (from && now - at > ${measuredMs}) { process.stdout.write(String((all - from) * 8 / (now - at) * 1000)); process.exit(); } }) }).listen(7000, '0.0.0.0')`,
)
const send = (address: string) =>
  node(
    `const part = Buffer.alloc(65536); const s = require('net').connect(7000, '${address}').on('error', () => process.exit()).on('close', () => process.exit()); const more = () => { while (s.write(part)); }; s.on('connect', more).on('drain', more)`,
  )

/** Returns the TCP payload throughput in bits per second. */
async function speed(from: WantedPort, to: WantedPort): Promise<number> {
  const measured = bed.from(to.id, receive)
  await bed.from(from.id, `sleep 0.5; timeout 20 ${send(to.addresses[0]!)}`)
  return Number(await measured)
}

const share = (measured: number, asked: number) => Math.round((measured / asked) * 100) / 100

test('a port sends and receives within 20 % of its rate limits, and at full speed without limits', async () => {
  for (const [out, into] of [
    [20, 40],
    [50, 8],
  ] as const) {
    await bed.calls.apply(plan({ fromGuestBits: out * megabit, toGuestBits: into * megabit }))
    const shares = [share(await speed(limited, free), out * megabit), share(await speed(free, limited), into * megabit)]
    for (const found of shares)
      expect(Math.abs(found - 1), `shares of ${out} and ${into}: ${shares.join()}`).toBeLessThan(0.2)
  }
  const { fromGuest } = (await bed.calls.counters()).get(limited.id)!
  expect(fromGuest.dropped).toBeGreaterThan(0)
  await bed.calls.apply(plan(null))
  expect(await speed(limited, free)).toBeGreaterThan(100 * megabit)
  expect(await speed(free, limited)).toBeGreaterThan(100 * megabit)
})
