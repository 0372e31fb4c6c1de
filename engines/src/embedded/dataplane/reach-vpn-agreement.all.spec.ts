import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { isRoot } from './capsule/processes'
import { explainReach } from '../../network-model/reach/reach'
import { tunnelsOf } from '../../network-model/reach/tunnels'
import type { AskedQuestion } from '../../network-model/reach/types'
import { createSampleNetworks, openBed, type Bed } from './testing/bed'
import { tried } from './testing/tried'
import { connectionOf, otherEnd } from '../../network-model/testing/vpn-examples'
import { groupOf, networkOf, openOut, portOf, routerOf, wantedOf } from '../../network-model/testing/wanted-examples'
import type { ReachQuestion, WantedNetworks } from '../../network-model/wanted'
import type { WantedConnection } from '../../network-model/wanted-vpns'

const test = testOn('networks', 'strongSwan')

/*
 * Computed reachability through tunnels must agree with real packets. There are two routers, each with a subnet inside
 * the tunnel and one outside it, and guests that admit all packets, one kind of packet, or none.
 */

const outside = networkOf(['198.51.100.0/24'], { external: { vlan: null } })
const [east, spare, west, extra] = [
  networkOf(['10.40.0.0/24']),
  networkOf(['10.41.0.0/24']),
  networkOf(['10.30.0.0/24']),
  networkOf(['10.31.0.0/24']),
]
const open = groupOf([...openOut(), {}])
const shut = groupOf(openOut())
const fromEast = groupOf([
  ...openOut(),
  { protocol: 'tcp', portMin: 80, portMax: 80, remote: { cidr: '10.40.0.0/24' } },
])
const silent = groupOf([{ direction: 'egress', protocol: 'icmp' }, {}])
const of = ({ id }: { id: string }) => ({ securityGroups: [id] })
const left = [portOf(east, 11, of(open)), portOf(east, 12, of(silent)), portOf(spare, 11, of(open))]
const right = [
  portOf(west, 11, of(open)),
  portOf(west, 12, of(fromEast)),
  portOf(west, 13, of(shut)),
  portOf(extra, 11, of(open)),
]
const [one, other] = [
  routerOf([east, spare], { network: outside, at: 11 }),
  routerOf([west, extra], { network: outside, at: 12 }),
]
const ours = connectionOf(one, { address: '198.51.100.12', ranges: ['10.30.0.0/24'] }, { local: ['10.40.0.0/24'] })
const theirs = otherEnd(other, one, ours)
const stateWith = (change: Partial<WantedConnection> = {}): WantedNetworks =>
  wantedOf({
    ...{ networks: [outside, east, spare, west, extra], ports: [...left, ...right], routers: [one, other] },
    groups: [open, shut, fromEast, silent],
    vpns: [
      { routerId: one.id, connections: [ours] },
      { routerId: other.id, connections: [{ ...theirs, ...change }] },
    ],
  })

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: !isRoot() })
  expect((await bed.calls.probe()).vpn.missing).toBe(null)
  await bed.calls.apply(stateWith())
  for (const { id } of [...left, ...right]) await bed.calls.plug(id)
  await createSampleNetworks(bed, stateWith())
}, 60_000)
afterAll(() => bed.end())

const sorts = [
  { protocol: 'tcp', port: 80 },
  { protocol: 'tcp', port: 22 },
  { protocol: 'udp', port: 53 },
  { protocol: 'icmp', port: null },
] as const
/**
 * Questions about packets from each guest on one side to each guest on the other side, except for packets that leave
 * through the uplink, because replies to those are outside our control.
 */
const questions = [
  [left, right],
  [right, left],
]
  .flatMap(([some, others]) =>
    some!.flatMap(({ id, addresses: [source] }) =>
      others!.flatMap(({ addresses: [address] }) =>
        sorts.map((sort) => ({
          ...{ address: address!, source: source! },
          question: { from: { portId: id }, to: { address: address! }, ...sort } satisfies ReachQuestion,
        })),
      ),
    ),
  )
  .filter(({ question }) => {
    const { steps, obstacle } = explainReach(stateWith(), question)
    return steps.at(-1)?.kind !== 'uplink' && obstacle?.kind !== 'not_in_tunnel'
  })

async function expectAgreement(wanted: WantedNetworks): Promise<number> {
  const reports = await bed.calls.tunnels()
  const tunnels = tunnelsOf(wanted, (id) => reports.get(id)?.isUp ?? false)
  const real = await tried(bed, questions)
  const told = questions.map(({ question }) => explainReach(wanted, question, tunnels))
  expect(told.filter(({ allowed }, at) => allowed !== real[at])).toEqual([])
  // the view of one end, which knows the other side only as addresses behind a tunnel
  const blind = { ...wanted, ports: left, routers: [one], networks: [outside, east, spare] }
  const known = tunnels.filter(({ id }) => id === ours.id)
  const inward = questions.map(({ question, source }) =>
    right.some(({ id }) => id === question.from.portId)
      ? explainReach<AskedQuestion>(blind, { ...question, from: { address: source } }, known)
      : null,
  )
  expect(inward.filter((it, at) => it !== null && it.allowed !== real[at])).toEqual([])
  return real.filter(Boolean).length
}

test('agrees with real packets while the tunnel is up, and with mismatched keys', { timeout: 180_000 }, async () => {
  await until('the tunnel', async () => (await bed.calls.tunnels()).get(ours.id)?.isUp === true, 30_000)
  const passed = await expectAgreement(stateWith())
  expect(passed).toBeGreaterThan(10)
  expect(passed).toBeLessThan(questions.length - 10)

  const apart = stateWith({ psk: 'a key that only one knows', keyId: 'other' })
  await bed.calls.apply(apart)
  await until('the tunnel to be down', async () => (await bed.calls.tunnels()).get(ours.id)?.isUp === false, 60_000)
  expect(await expectAgreement(apart)).toBe(0)
})

test('packets outside the tunnel ranges never reach the other side', async () => {
  await bed.calls.apply(stateWith())
  await until('the tunnel', async () => (await bed.calls.tunnels()).get(ours.id)?.isUp === true, 30_000)
  const [target] = right
  /** Returns the number of echo requests that the target has received. */
  const asked = async () => {
    const said = await bed.from(target!.id, 'cat /proc/net/snmp')
    const [names = '', values = ''] = said.split('\n').filter((line) => line.startsWith('Icmp:'))
    return Number(values.split(' ')[names.split(' ').indexOf('InEchos')])
  }
  const pinged = async ({ id }: { id: string }) => {
    const before = await asked()
    const to = { address: target!.addresses[0]! }
    await tried(bed, [{ address: to.address, question: { from: { portId: id }, to, protocol: 'icmp', port: null } }])
    return (await asked()) - before
  }
  expect(await pinged(left[0]!)).toBe(1)
  expect(await pinged(left[2]!)).toBe(0)
})
