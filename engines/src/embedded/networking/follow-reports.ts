import type { Engine } from '../engine'

const EVERY_MS = 1_000

interface Followed<Report> {
  /** Defaults to one second. */
  everyMs?: number
  /** Whether there are objects to report on. */
  isThere(): boolean
  /** Returns the dataplane's current reports, by row ID. */
  reports(): Promise<ReadonlyMap<string, Report>>
  /** Returns the text of a report. A report is written only if its text has changed. */
  textOf(report: Report): string
  /** Returns false if the row cannot be updated yet; the update is then retried. */
  write(id: string, report: Report): Promise<boolean>
  /** Message to log if an update fails. */
  fault: string
}

/** Copies dataplane reports to rows. Returns a function that stops the updates. */
export function followReports<Report>(
  { carrier, log }: Pick<Engine, 'carrier' | 'log'>,
  { everyMs = EVERY_MS, isThere, reports, textOf, write, fault }: Followed<Report>,
): () => Promise<void> {
  /** Text of the report that was last written, by row ID. */
  const written = new Map<string, string>()
  // applying a configuration may have rewritten the rows
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
