import { TIER_FULL, type StorageTier } from '@mainstay/contract/infrastructure/tiers'

const DAY_SECONDS = 24 * 3600
/** With measurements of a shorter time, a single large file would look like permanent growth. */
const LEAST_SECONDS = DAY_SECONDS
const LATEST_DAYS = 10 * 365

/** Used space in bytes at a time in Unix seconds. */
export type Measurement = readonly [time: number, used: number]

/**
 * Returns the change of the used space in bytes per day, as the slope of the straight line that fits the measurements
 * best. Null if the measurements do not cover one day.
 */
export function growthOf(measurements: readonly Measurement[]): number | null {
  const times = measurements.map(([time]) => time)
  if (measurements.length < 2 || Math.max(...times) - Math.min(...times) < LEAST_SECONDS) return null
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanTime, meanUsed] = [mean(times), mean(measurements.map(([, used]) => used))]
  let [together, alone] = [0, 0]
  for (const [time, used] of measurements) {
    together += (time - meanTime) * (used - meanUsed)
    alone += (time - meanTime) ** 2
  }
  return Math.round((together / alone) * DAY_SECONDS)
}

/**
 * Returns when a tier will be full if it keeps growing at this rate, or `now` if it is full already. Null if it does not
 * grow, if its growth is not known, or if it will not be full within 10 years.
 */
export function fullAt(
  { used, total, growth }: Pick<StorageTier, 'used' | 'total' | 'growth'>,
  now: Date,
): Date | null {
  const left = TIER_FULL * total - used
  if (left <= 0) return now
  if (growth === null || growth <= 0) return null
  const days = left / growth
  return days > LATEST_DAYS ? null : new Date(now.getTime() + days * DAY_SECONDS * 1000)
}
