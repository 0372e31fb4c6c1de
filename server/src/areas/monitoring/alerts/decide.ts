/** State of an object for one rule, as found by one evaluation. */
export interface Found {
  /** Identifies the object and the part of it. */
  key: string
  /** True if the threshold is reached; false if the value is just below it, so that an open alert stays open. */
  isOver: boolean
  /** Start of the condition in ms since the epoch, if known. Otherwise it starts when it is first seen. */
  since?: number
}

/** An object that may soon have an alert, or has one. Times are in milliseconds. */
export interface Watch {
  key: string
  /** Start of the condition. */
  since: number
  /** Time of the last evaluation in which the condition held. */
  seenAt: number
  /** Time since when the condition of an open alert no longer holds. */
  calmSince: number | null
  alertId: string | null
}

export interface Timing {
  now: number
  /** How long the condition must hold before an alert is raised. */
  durationMs: number
  /** While a rule is suspended, nothing is raised; open alerts are kept. */
  isSuspended: boolean
}

/** The changes that follow from one evaluation. */
export interface Decision<Of extends Found> {
  keep: Watch[]
  forget: string[]
  /** Objects to raise an alert for, each with its watch. */
  raise: { found: Of; watch: Watch }[]
  /** IDs of alerts to close. */
  close: string[]
}

/** After a gap of this length between evaluations, a condition counts as new. */
export const GAP_MS = 5 * 60_000
/** An object that has been unknown for this long counts as deleted. */
export const GONE_MS = 24 * 3600_000
const LONGEST_CALM_MS = 120_000

/** How long a condition must be over before its alert closes: the duration of the rule, at most two minutes. */
export const calmMsOf = (durationMs: number): number => Math.min(durationMs, LONGEST_CALM_MS)

/**
 * Decides which alerts of one rule to raise and close. `unknown`: keys of objects whose state could not be determined;
 * nothing is raised or closed for them.
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
