import { fieldProblem } from '@mainstay/contract/core/problems'
import { Cron } from 'croner'

/** A recurring time, with its jitter. */
export interface Times {
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: string
  /** IANA name: `Europe/Berlin`. */
  time_zone: string
  /** Maximum delay of a plan's runs in seconds. Keeps plans for the same minute from all starting at once. */
  jitter_seconds: number
}

const MAX_CRON = 600
const MAX_JITTER_SECONDS = 24 * 3600

/*
 * A run at a time that is skipped in spring starts right after the gap; a run at a time that occurs twice in autumn
 * starts at the first occurrence. Plans for every few minutes or hours follow the wall clock through both clock
 * changes.
 */
const reckon = ({ cron, time_zone }: Times): Cron =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })

/**
 * Next run of a plan after `now`; null if there is none. `offset`: position of the plan within its jitter, at least 0
 * and below 1. It shifts all runs equally, so that their spacing stays the same.
 */
export function nextRun(times: Times, offset: number, now: Date): Date | null {
  const movedMs = Math.floor(offset * times.jitter_seconds) * 1000
  const next = reckon(times).nextRun(new Date(now.getTime() - movedMs))
  return next && new Date(next.getTime() + movedMs)
}

/**
 * Validates the times of a plan. Throws a `validation` error on the offending field if the plan is invalid or would
 * never run.
 */
export function requireTimes(times: Times, now: Date): void {
  const { cron, time_zone, jitter_seconds } = times
  if (!Number.isInteger(jitter_seconds) || jitter_seconds < 0 || jitter_seconds > MAX_JITTER_SECONDS)
    throw fieldProblem('jitter_seconds', 'settings.jitter', { most: MAX_JITTER_SECONDS })
  try {
    new Intl.DateTimeFormat('en', { timeZone: time_zone })
  } catch {
    throw fieldProblem('time_zone', 'settings.unknown_time_zone')
  }
  let next: Date | null
  try {
    if (cron.length > MAX_CRON) throw new Error(`it has more than ${MAX_CRON} characters`)
    // the library also accepts dates and nicknames such as `@daily`
    if (!/^[^\s:@]+( +[^\s:@]+){4}$/.test(cron)) throw new Error('it must have five fields')
    next = nextRun(times, 0, now)
  } catch (error) {
    throw fieldProblem('cron', 'settings.cron_form', { reason: (error as Error).message.replace(/^Cron\w*: /, '') })
  }
  if (!next) throw fieldProblem('cron', 'settings.cron_never')
}
