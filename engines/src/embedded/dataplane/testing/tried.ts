import { guestSpaceOf } from '../../../network-model/names'
import type { ReachQuestion } from '../../../network-model/wanted'
import { tryPing, tryTcp, tryUdp, type Bed } from './bed'

const atOnce = 50

/** Tests each question with real packets from its source. True if a reply arrives within `patienceSeconds`. */
export async function tried(
  bed: Bed,
  questions: { question: ReachQuestion; address: string }[],
  { patienceSeconds: patience = 2 } = {},
): Promise<boolean[]> {
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
