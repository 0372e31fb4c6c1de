/** How often what is looked at, milliseconds. */
export interface FeedIntervals {
  /** What is announced of one row within this time is read once. */
  debounce: number
  /** Between two questions what has changed, where nothing announces it. */
  poll: number
  /** The same beside notifications, should a service not send any. */
  pollBeside: number
  /** So much longer ago than the last question is asked for: clocks differ, and what changes is told late. */
  overlap: number
  /** Between two full reads of a kind whose changes cannot be asked for, where nothing announces them. */
  whole: number
  /** Between two full reads of every kind, which repair what was missed. */
  resync: number
  /** Between two reads of a row that is on its way, at first and at most. */
  busy: number
  busyAtMost: number
  /** Between two attempts at a service that does not answer, at first and at most. */
  retry: number
  retryAtMost: number
  /** A service that was away for so long has its kinds read in full. */
  outage: number
  /** Between two words on how the cloud is reached. */
  health: number
  /** The bus is waited for at the start, so that what is announced during the first full read is heard. */
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

/** All of them so many times as short. */
export const intervalsAt = (pace: number): FeedIntervals => {
  const shorter = { ...usualIntervals }
  for (const name of Object.keys(shorter) as (keyof FeedIntervals)[]) shorter[name] /= pace
  return shorter
}

/** Waits that double, with a chance of being shorter, so that not all come back in the same moment. */
export const backOff = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(failures - 1, 20)) * (0.75 + Math.random() / 4)
