import type { Engine } from '../engine'

const EVERY_MS = 1_000

interface Followed<Report> {
  /** Each second unless said. */
  everyMs?: number
  /** Whether there is anything to ask of. */
  isThere(): boolean
  /** What the dataplane finds, by the ids of rows. */
  reports(): Promise<ReadonlyMap<string, Report>>
  /** Two reports of one text are written once. */
  textOf(report: Report): string
  /** Answers false where the row is not yet to be told of. */
  write(id: string, report: Report): Promise<boolean>
  /** What the log says where it was not written. */
  fault: string
}

/** Rows follow what the dataplane finds out of them. Answers how to stop. */
export function followReports<Report>(
  { carrier, log }: Pick<Engine, 'carrier' | 'log'>,
  { everyMs = EVERY_MS, isThere, reports, textOf, write, fault }: Followed<Report>,
): () => Promise<void> {
  /** What was written last, by row. */
  const written = new Map<string, string>()
  // rows may have been written by others since
  const unfollow = carrier.onApplied(() => written.clear())
  let running: Promise<void> | null = null
  let isClosed = false

  async function look(): Promise<void> {
    const found = await reports()
    for (const [id, report] of found) {
      if (isClosed) return
      const said = textOf(report)
      if (written.get(id) === said) continue
      if (await write(id, report)) written.set(id, said)
    }
    for (const id of written.keys()) if (!found.has(id)) written.delete(id)
  }

  const timer = setInterval(() => {
    if (running || !isThere()) return
    running = look()
      .catch((error: unknown) => {
        written.clear()
        if (!isClosed) log.warn({ error }, fault)
      })
      .finally(() => (running = null))
  }, everyMs).unref()

  return async () => {
    isClosed = true
    unfollow()
    clearInterval(timer)
    await running
  }
}
