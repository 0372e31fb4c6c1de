/** State of an object as found by one evaluation of a rule. */
export interface Found {
  /** Identifies the object and, if applicable, its part. */
  key: string
  /** True if the threshold is reached; false if the value is just below it, where an open alert stays open. */
  isOver: boolean
  /** When the condition began, in ms since the epoch. If unknown, it begins when it is first observed. */
  since?: number
}

/** An object that has an alert or may soon have one. Times are in ms since the epoch. */
export interface Watch {
  key: string
  /** When the condition began. */
  since: number
  /** Time of the last evaluation in which the condition held. */
  seenAt: number
  /** When the condition ended, if the object has an open alert. */
  calmSince: number | null
  alertId: string | null
}

export interface Timing {
  now: number
  /** How long the condition must hold before an alert is raised, in ms. */
  durationMs: number
  /** If true, no alerts are raised. Open alerts can still be closed. */
  isSuspended: boolean
}

/** Changes that result from one evaluation. */
export interface Decision<Of extends Found> {
  keep: Watch[]
  forget: string[]
  /** Objects for which an alert is raised, each with its watch. */
  raise: { found: Of; watch: Watch }[]
  /** IDs of the alerts to close. */
  close: string[]
}

/** If evaluations are further apart than this, the condition is treated as new. */
export const GAP_MS = 5 * 60_000
/** An object whose state has been unknown for this long is treated as deleted. */
export const GONE_MS = 24 * 3600_000
const LONGEST_CALM_MS = 120_000

/** How long the condition must be over before its alert is closed: the rule's duration, but at most two minutes. */
export const calmMsOf = (durationMs: number): number => Math.min(durationMs, LONGEST_CALM_MS)

/**
 * Decides which alerts of a rule are raised and closed. `unknown`: keys of objects whose state could not be determined.
 * No alerts are raised or closed for them.
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
