import { afterAll, beforeAll, expect } from 'vitest'
import { rounds, seedOr } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { explainReach } from '../../network-model/reach/reach'
import { createSampleNetworks, openBed, type Bed } from './testing/bed'
import { randomTopology, someQuestions } from './testing/random-topology'
import { tried } from './testing/tried'
import type { ReachExplanation } from '../../network-model/reach/types'

const test = testOn('networks')

/*
 * Random networks, routers and rules in one capsule. For every question, the computed reachability must agree with real
 * packets.
 */

const topologies = rounds({ gate: 1, all: 5, long: 100 })
const questionsEach = rounds({ gate: 50, all: 100, long: 100 })
const seed = seedOr(271_921_626)

let bed: Bed
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  expect(await bed.calls.probe()).toMatchObject({ available: true, missing: [] })
})
afterAll(() => bed.end())

test(
  'computed reachability agrees with real packets for every question',
  { timeout: 120_000 + topologies * 120_000 },
  async () => {
    const counts = { allowed: 0, denied: 0 }
    for (let round = 0; round < topologies; round++) {
      const wanted = randomTopology(seed + round)
      const applied = await bed.calls.apply(wanted)
      expect([...applied.networks, ...applied.routers, ...applied.ports], `seed ${seed + round}`).toEqual([])
      for (const { id, owner } of wanted.ports) if (owner === 'instance') await bed.calls.plug(id)
      await createSampleNetworks(bed, wanted)
      const all = someQuestions(wanted, seed + round, questionsEach)
      // replies from beyond the uplink are outside our control
      const leaves = ({ steps }: ReachExplanation) => steps.at(-1)?.kind === 'uplink'
      const questions = all.filter(({ question }) => !leaves(explainReach(wanted, question)))
      const computed = questions.map(({ question }) => explainReach(wanted, question))
      const real = await tried(bed, questions)
      // retry with a longer timeout, because a packet may arrive late on a busy machine
      const late = questions.filter((_, at) => computed[at]!.allowed && !real[at])
      const again = await tried(bed, late, { patienceSeconds: 15 })
      const arrived = new Set(late.filter((_, at) => again[at]))
      const wrong = computed.flatMap((it, at) =>
        it.allowed === (real[at] || arrived.has(questions[at]!)) ? [] : [{ seed: seed + round, real: real[at], ...it }],
      )
      expect(JSON.stringify(wrong.slice(0, 3), null, 1)).toBe('[]')
      for (const { allowed } of computed) counts[allowed ? 'allowed' : 'denied']++
    }
    expect(Math.min(counts.allowed, counts.denied)).toBeGreaterThan((topologies * questionsEach) / 10)
  },
)
