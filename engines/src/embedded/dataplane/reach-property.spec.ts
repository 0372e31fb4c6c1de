import { afterAll, beforeAll, expect, test } from 'vitest'
import { guestSpaceOf } from './names'
import { explainReach } from './reach'
import { furnish, openBed, tryPing, tryTcp, tryUdp, type Bed } from './testing/bed'
import { randomTopology, someQuestions } from './testing/random-topology'
import type { ReachExplanation } from './reach-types'
import type { ReachQuestion } from './wanted'

/*
 * Random networks, routers and rules: what is computed and what real packets do agree in every question. All of it in one
 * capsule; a seed makes a topology again (`MAINSTAY_REACH_SEED`).
 */

const [topologies, questionsEach] = [3, 100]
const seed = Number(process.env['MAINSTAY_REACH_SEED'] ?? Math.floor(Math.random() * 1e9))

let bed: Bed
let isAvailable = false
beforeAll(async () => {
  bed = await openBed({ rootless: true })
  isAvailable = (await bed.calls.probe()).available
})
afterAll(() => bed.end())

const [patience, atOnce] = [2, 50]

/** Whether a packet of each question finds its way and back. */
async function tried(questions: { question: ReachQuestion; address: string }[]): Promise<boolean[]> {
  const found: boolean[] = []
  for (let at = 0; at < questions.length; at += atOnce) {
    const lines = questions.slice(at, at + atOnce).map(({ question: { from, protocol, port }, address }, index) => {
      const attempt =
        protocol === 'tcp'
          ? tryTcp(address, port!, patience)
          : protocol === 'udp'
            ? tryUdp(address, port!, patience)
            : tryPing(address, patience)
      const space = from === 'outside' ? 'edge' : guestSpaceOf(from.portId)
      return `(r=$(nsenter --net=/run/netns/${space} bash <<'END'\n${attempt}\nEND\n); echo "${index} $r") &`
    })
    const said = await bed.run('edge', `${lines.join('\n')}\nwait`)
    const answers = new Map([...said.matchAll(/^(\d+) (\w+)$/gm)].map(([, index, word]) => [Number(index), word]))
    for (let index = 0; index < lines.length; index++)
      found.push(['refused', 'open', 'answered'].includes(answers.get(index) ?? ''))
  }
  return found
}

test('what is computed and what packets do agree in every question', { timeout: 600_000 }, async ({ skip }) => {
  if (!isAvailable) skip()
  const counts = { allowed: 0, denied: 0 }
  for (let round = 0; round < topologies; round++) {
    const wanted = randomTopology(seed + round)
    const applied = await bed.calls.apply(wanted)
    expect([...applied.networks, ...applied.routers, ...applied.ports], `seed ${seed + round}`).toEqual([])
    for (const { id, owner } of wanted.ports) if (owner === 'instance') await bed.calls.plug(id)
    await furnish(bed, wanted)
    const all = someQuestions(wanted, seed + round, questionsEach)
    // who answers beyond the uplink is not this host's to say
    const leaves = ({ steps }: ReachExplanation) => steps.at(-1)?.kind === 'uplink'
    const questions = all.filter(({ question }) => !leaves(explainReach(wanted, question)))
    const computed = questions.map(({ question }) => explainReach(wanted, question))
    const real = await tried(questions)
    const wrong = computed.flatMap((it, at) =>
      it.allowed === real[at] ? [] : [{ seed: seed + round, real: real[at], ...it }],
    )
    expect(JSON.stringify(wrong.slice(0, 3), null, 1)).toBe('[]')
    for (const { allowed } of computed) counts[allowed ? 'allowed' : 'denied']++
  }
  expect(Math.min(counts.allowed, counts.denied)).toBeGreaterThan((topologies * questionsEach) / 10)
})
