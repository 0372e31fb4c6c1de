import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextRun, requireTimes, type Times } from './times'

const times = (cron: string, time_zone = 'UTC', jitter_seconds = 0): Times => ({ cron, time_zone, jitter_seconds })

/** Runs of a plan between two times. */
function runsBetween(plan: Times, from: string, to: string, offset = 0): string[] {
  const runs: string[] = []
  for (let next = nextRun(plan, offset, new Date(from)); next && next < new Date(to);) {
    runs.push(next.toISOString().slice(0, 16))
    next = nextRun(plan, offset, next)
  }
  return runs
}

test('a plan for 02:30 runs right after the gap on a day without 02:30, and once on a day with two', () => {
  const nightly = times('30 2 * * *', 'Europe/Berlin')
  // clocks go from 02:00 to 03:00 on 29 March 2026
  expect(runsBetween(nightly, '2026-03-28T00:00Z', '2026-03-31T00:00Z')).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ])
  // clocks go from 03:00 back to 02:00 on 25 October 2026
  expect(runsBetween(nightly, '2026-10-24T00:00Z', '2026-10-27T00:00Z')).toEqual([
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
})

test('applies the same rules to plans with several times a day', () => {
  const twiceADay = times('30 2,14 * * *', 'Europe/Berlin')
  expect(runsBetween(twiceADay, '2026-03-29T00:00Z', '2026-03-30T00:00Z')).toEqual([
    '2026-03-29T01:00',
    '2026-03-29T12:30',
  ])
  expect(runsBetween(twiceADay, '2026-10-24T23:00Z', '2026-10-25T23:00Z')).toEqual([
    '2026-10-25T00:30',
    '2026-10-25T13:30',
  ])
})

test('half-hourly runs continue through both clock changes, without gaps or duplicates', () => {
  const often = times('*/30 * * * *', 'Europe/Berlin')
  for (const [from, to] of [
    ['2026-03-28T23:59Z', '2026-03-29T04:00Z'],
    ['2026-10-24T22:59Z', '2026-10-25T04:00Z'],
  ] as const) {
    const runs = runsBetween(often, from, to).map((run) => Date.parse(`${run}Z`))
    for (const [at, run] of runs.slice(1).entries()) expect(run - runs[at]!).toBe(30 * 60_000)
    expect(runs.length).toBeGreaterThanOrEqual(8)
  }
})

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Chatham',
]
const zone = fc.constantFrom(...zones)
const minute = fc.integer({ min: 0, max: 59 })
const hour = fc.integer({ min: 0, max: 23 })
const moment = fc
  .integer({ min: Date.parse('2015-01-01T00:00Z'), max: Date.parse('2035-01-01T00:00Z') })
  .map((at) => new Date(at))

const localDay = (zoneName: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zoneName, hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  })
  return (at: Date): { day: string; time: string } => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return { day: `${parts['year']}-${parts['month']}-${parts['day']}`, time: `${parts['hour']}:${parts['minute']}` }
  }
}

test('a daily plan runs exactly once a day in every zone, at its time or right after a gap', () => {
  fc.assert(
    fc.property(zone, hour, minute, moment, (time_zone, atHour, atMinute, from) => {
      const local = localDay(time_zone)
      const plan = times(`${atMinute} ${atHour} * * *`, time_zone)
      const wanted = `${String(atHour).padStart(2, '0')}:${String(atMinute).padStart(2, '0')}`
      let run = nextRun(plan, 0, from)!
      let { day } = local(run)
      for (let count = 0; count < 400; count++) {
        run = nextRun(plan, 0, run)!
        const next = local(run)
        expect(new Date(`${next.day}T00:00Z`).getTime() - new Date(`${day}T00:00Z`).getTime()).toBe(24 * 3600 * 1000)
        if (next.time !== wanted) {
          expect(next.time > wanted).toBe(true)
          // a minute earlier, the local time was still before the gap
          const before = local(new Date(run.getTime() - 60_000))
          expect(`${before.day} ${before.time}` < `${next.day} ${wanted}`).toBe(true)
        }
        day = next.day
      }
    }),
    { numRuns: 12 },
  )
})

test('the next run is in the future, does not depend on when it is computed, and moves only by its offset', () => {
  const cron = fc.oneof(
    fc.tuple(minute, hour).map(([m, h]) => `${m} ${h} * * *`),
    fc.tuple(minute, fc.integer({ min: 0, max: 6 })).map(([m, weekday]) => `${m} 3 * * ${weekday}`),
    fc.constantFrom('*/5 * * * *', '0 */6 * * *', '15 1,13 * * *', '0 0 1 * *', '30 2 L * *'),
  )
  fc.assert(
    fc.property(
      cron,
      zone,
      moment,
      fc.integer({ min: 0, max: 7200 }),
      fc.nat(999),
      (given, time_zone, now, jitter, part) => {
        const plan = times(given, time_zone, jitter)
        const offset = part / 1000
        const next = nextRun(plan, offset, now)!
        expect(next.getTime()).toBeGreaterThan(now.getTime())
        const between = new Date((now.getTime() + next.getTime()) / 2)
        expect(nextRun(plan, offset, between)).toEqual(next)
        const moved = Math.floor(offset * jitter) * 1000
        expect(next.getTime() - moved).toBe(
          nextRun(times(given, time_zone), 0, new Date(now.getTime() - moved))!.getTime(),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('reports an error in a plan on the offending field', () => {
  const fieldsOf = (plan: Times): unknown => {
    try {
      requireTimes(plan, new Date('2026-01-01T00:00Z'))
      return null
    } catch (error) {
      return Object.keys((error as { fields: object }).fields)
    }
  }
  expect(fieldsOf(times('30 2 * * *', 'Europe/Berlin'))).toBe(null)
  for (const cron of [
    '',
    '61 * * * *',
    '* * * * * *',
    '30 2 31 2 *',
    'soon',
    '* * * *',
    '1 '.repeat(200),
    `${Array.from({ length: 300 }, () => 0).join(',')} * * * *`,
    '@reboot',
    '2026-02-03T04:05:06',
  ])
    expect(fieldsOf(times(cron)), cron).toEqual(['cron'])
  for (const name of ['Mars/Olympus', '', 'Europe/Berlin; drop table'])
    expect(fieldsOf(times('30 2 * * *', name)), name).toEqual(['time_zone'])
  for (const jitter of [-1, 0.5, Number.NaN, Infinity, 24 * 3600 + 1])
    expect(fieldsOf(times('30 2 * * *', 'UTC', jitter)), String(jitter)).toEqual(['jitter_seconds'])
})
