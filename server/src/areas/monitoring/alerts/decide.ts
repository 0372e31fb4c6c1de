/** What one look at the condition of a rule has found about an object. */
export interface Found {
  /** Names the object, and which part of it. */
  key: string
  /** The threshold is reached; false: it is not, and too near for a standing alert to close. */
  isOver: boolean
  /** Since when the condition holds, where the object tells; milliseconds. Otherwise it holds since it was first seen. */
  since?: number
}

/** An object that is near an alert, or has one. Times are milliseconds. */
export interface Watch {
  key: string
  /** Since when the condition holds. */
  since: number
  /** When it was known to hold last. */
  seenAt: number
  /** Since when it holds no more, of one with an alert. */
  calmSince: number | null
  alertId: string | null
}

export interface Timing {
  now: number
  /** How long the condition holds before an alert is raised. */
  durationMs: number
  /** Nothing is raised, and what stands goes on. */
  isSuspended: boolean
}

/** What is to be done after one look. */
export interface Decision<Of extends Found> {
  keep: Watch[]
  forget: string[]
  /** With what is kept of them. */
  raise: { found: Of; watch: Watch }[]
  /** Ids of alerts. */
  close: string[]
}

/** A condition that nobody looked at for so long is not known to have held. */
export const GAP_MS = 5 * 60_000
/** What nobody knows anything of for so long is gone. */
export const GONE_MS = 24 * 3600_000
const LONGEST_CALM_MS = 120_000

/** How long a condition has to be over before its alert closes: as long as it took to raise it, two minutes at most. */
export const calmMsOf = (durationMs: number): number => Math.min(durationMs, LONGEST_CALM_MS)

/**
 * What becomes of the objects of one rule. `unknown`: objects of which nothing could be learnt; nothing is raised for them,
 * and nothing closed.
 */
export function decide<Of extends Found>(
  watches: readonly Watch[],
  seen: { found: readonly Of[]; unknown: ReadonlySet<string> },
  { now, durationMs, isSuspended }: Timing,
): Decision<Of> {
  const decision: Decision<Of> = { keep: [], forget: [], raise: [], close: [] }
  const known = new Map(watches.map((watch) => [watch.key, watch]))
  const found = new Map(seen.found.map((it) => [it.key, it]))

  for (const it of found.values()) {
    const before = known.get(it.key)
    if (before && before.alertId !== null) {
      decision.keep.push({ ...before, seenAt: now, calmSince: null })
      continue
    }
    if (!it.isOver) {
      if (before) decision.forget.push(it.key)
      continue
    }
    const goesOn = before !== undefined && now - before.seenAt <= GAP_MS
    const since = Math.min(now, it.since ?? (goesOn ? before.since : now))
    const watch = { key: it.key, since, seenAt: now, calmSince: null, alertId: null }
    if (!isSuspended && now - since >= durationMs) decision.raise.push({ found: it, watch })
    else decision.keep.push(watch)
  }

  for (const watch of watches) {
    if (found.has(watch.key)) continue
    const isGone = now - watch.seenAt >= GONE_MS
    if (seen.unknown.has(watch.key) && !isGone) continue
    const calmSince = watch.calmSince ?? now
    if (watch.alertId !== null && !isGone && now - calmSince < calmMsOf(durationMs)) {
      decision.keep.push({ ...watch, calmSince })
      continue
    }
    decision.forget.push(watch.key)
    if (watch.alertId !== null) decision.close.push(watch.alertId)
  }
  return decision
}
