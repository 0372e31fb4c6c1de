/** Intervals of the feed, in milliseconds. */
export interface FeedIntervals {
  /** Notifications about a row within this time result in a single read. */
  debounce: number
  /** Interval between polls for changes to a kind without notifications. */
  poll: number
  /** Interval between polls for changes to a kind with notifications, in case some of them are lost. */
  pollBeside: number
  /** How far each poll looks back beyond the previous one, because clocks differ and changes may appear late. */
  overlap: number
  /** Interval between full reads of a kind that has neither notifications nor a list of changes. */
  whole: number
  /** Interval between full reads of each kind, which pick up missed changes. */
  resync: number
  /** Initial and maximum interval between reads of a busy row. */
  busy: number
  busyAtMost: number
  /** Initial and maximum interval between attempts to reach a service that does not respond. */
  retry: number
  retryAtMost: number
  /** An outage at least this long triggers full reads of the service's kinds. */
  outage: number
  /** Interval between health reports if nothing changes. */
  health: number
  /**
   * How long to wait for the bus before the first full read, so that no notifications sent during that read are lost.
   */
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

/** Returns the next delay: exponential back-off, with jitter to spread simultaneous retries. */
export const backOff = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(failures - 1, 20)) * (0.75 + Math.random() / 4)
