/** Intervals of the feed, milliseconds. */
export interface FeedIntervals {
  /** Notifications about a row within this time cause a single read. */
  debounce: number
  /** Between polls for changes of a kind without notifications. */
  poll: number
  /** The same for kinds with notifications, in case some are lost. */
  pollBeside: number
  /** How far polls look back beyond the previous poll, because clocks differ and changes appear late. */
  overlap: number
  /** Between full reads of a kind that has neither notifications nor a list of changes. */
  whole: number
  /** Between full reads of every kind, which repair missed changes. */
  resync: number
  /** Between reads of a busy row: initial and maximum. */
  busy: number
  busyAtMost: number
  /** Between attempts to reach a service that does not respond: initial and maximum. */
  retry: number
  retryAtMost: number
  /** An outage of this length causes full reads of the kinds of that service. */
  outage: number
  /** Between health reports without a change. */
  health: number
  /** How long to wait for the bus before the first full read, so that no notification sent during it is lost. */
  busAtStart: number
}

export const usualIntervals: FeedIntervals = {
  debounce: 5,
  poll: 3_000,
  pollBeside: 30_000,
  overlap: 10_000,
  whole: 15_000,
  resync: 10 * 60_000,
  busy: 1_000,
  busyAtMost: 10_000,
  retry: 500,
  retryAtMost: 15_000,
  outage: 10_000,
  health: 5_000,
  busAtStart: 5_000,
}

/** Divides all intervals by `pace`. */
export const intervalsAt = (pace: number): FeedIntervals => {
  const shorter = { ...usualIntervals }
  for (const name of Object.keys(shorter) as (keyof FeedIntervals)[]) shorter[name] /= pace
  return shorter
}

/** Exponential back-off, with jitter to spread simultaneous retries. */
export const backOff = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(failures - 1, 20)) * (0.75 + Math.random() / 4)
