import { randomUUID } from 'node:crypto'
import { NO_FILE, type Ended, type NodeLink, type Rights } from '../node-link'

/** Recorded output of a host's fact sources, by their names in `facts/sources.ts`. */
export type Recording = Readonly<Record<string, string | { status: number; text: string }>>

interface Recorded extends NodeLink {
  /** All commands that were run. */
  readonly ran: { argv: readonly string[]; asRoot: boolean }[]
  /** The recording. Tests can replace it. */
  recording: Recording
}

/** Opens a link to a simulated host that consists only of a recording. */
export function recordedLink(
  recording: Recording,
  { rights = 'root', clockOffsetMs = 0 }: { rights?: Rights; clockOffsetMs?: number } = {},
): Recorded {
  const lost = new AbortController()
  const ended = (out: string): Ended => ({ status: 0, out, err: '' })
  const link: Recorded = {
    ...{ hostname: 'recorded', rights, recording, ran: [], lost: lost.signal },
    async run(argv, { asRoot = false } = {}) {
      link.ran.push({ argv, asRoot })
      if (argv[0] === 'date') return ended(`${((Date.now() + clockOffsetMs) / 1000).toFixed(3)}\n`)
      const mark = argv[4] ?? randomUUID()
      const all = Object.entries(link.recording).map(([name, part]) => {
        const { text, status } = typeof part === 'string' ? { text: part, status: 0 } : part
        return `${mark} ${name}\n${text}\n${mark} = ${status}\n`
      })
      return ended(all.join(''))
    },
    read: async () => null,
    replace: async () => NO_FILE,
    close: async () => lost.abort(),
  }
  return link
}
