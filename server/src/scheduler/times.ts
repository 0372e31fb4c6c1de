import { fieldProblem } from '@mainstay/contract/core/problems'
import { Cron } from 'croner'

/** When something is done again and again. */
export interface Times {
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: string
  /** IANA name: `Europe/Berlin`. */
  time_zone: string
  /** The most seconds by which the runs of a plan are moved, so that plans of one minute do not all begin at once. */
  jitter_seconds: number
}

const MAX_CRON = 100
const MAX_JITTER_SECONDS = 24 * 3600

/*
 * A time of day that is skipped in spring runs right after the gap, and one that comes twice in autumn runs at its first.
 * What runs every so many minutes or hours goes on through both as the clock on the wall shows.
 */
const reckon = ({ cron, time_zone }: Times): Cron =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })

/**
 * When a plan runs next after `now`; null for one that never does. `offset` is its own part of the jitter, from 0 to
 * below 1: it moves all its runs alike, so that they keep their distance.
 */
export function nextRun(times: Times, offset: number, now: Date): Date | null {
  const movedMs = Math.floor(offset * times.jitter_seconds) * 1000
  const next = reckon(times).nextRun(new Date(now.getTime() - movedMs))
  return next && new Date(next.getTime() + movedMs)
}

/** Throws `validation`, naming the field, for what is no plan, and for one that never runs. */
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
    // the library takes dates and nicknames as well
    if (!/^[^\s:@]+( +[^\s:@]+){4}$/.test(cron)) throw new Error('there are not five of them')
    next = nextRun(times, 0, now)
  } catch (error) {
    throw fieldProblem('cron', 'settings.cron_form', { reason: (error as Error).message.replace(/^Cron\w*: /, '') })
  }
  if (!next) throw fieldProblem('cron', 'settings.cron_never')
}
