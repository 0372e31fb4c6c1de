import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { isoTimeOrUtc } from '../core/times'

/** Maximum length of a query in characters. */
export const MOST_QUERY_LENGTH = 2000
/** Maximum number of points per series, more than a screen has pixels. */
export const MOST_POINTS = 2000
/** Retention of metrics, which also limits the time range of a query, in seconds. */
export const KEPT_SECONDS = 30 * 24 * 3600

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Parses durations such as `90`, `1.5`, `5m`, `1h30m` to seconds; null if the text is not a duration. */
export function durationSeconds(text: string): number | null {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text)
  if (!/^(\d{1,9}(ms|[smhdw]))+$/.test(text)) return null
  return [...text.matchAll(/(\d+)(ms|[smhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  )
}

const Moment = z
  .string()
  .max(40)
  .transform((text, context) => {
    const seconds = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : isoTimeOrUtc(text) / 1000
    if (Number.isFinite(seconds) && seconds >= 0) return seconds
    context.addIssue({ code: 'custom', message: says('monitoring.time_form') })
    return z.NEVER
  })
const Step = z
  .string()
  .max(20)
  .transform((text, context) => {
    const seconds = durationSeconds(text)
    if (seconds !== null && seconds >= 1) return seconds
    context.addIssue({ code: 'custom', message: says('monitoring.step_form') })
    return z.NEVER
  })
const Query = z
  .string()
  .trim()
  .min(1, says('monitoring.enter_query'))
  .max(MOST_QUERY_LENGTH, says('core.too_long', { most: MOST_QUERY_LENGTH }))
  .describe('PromQL query.')
  .meta({ examples: ['rate(mainstay_vm_block_read_bytes_total[5m])'] })

export const MetricQuery = z.strictObject({
  query: Query,
  time: Moment.optional().describe('Unix time in seconds, or a timestamp. Default: now.'),
})
/** Time range and interval of a range query. */
export const MetricTimes = {
  start: Moment.describe('Time of the first point.').meta({ examples: ['1795420000'] }),
  end: Moment.describe('Time of the last point.').meta({ examples: ['1795423600'] }),
  step: Step.describe('Interval between two points, for example `15` (seconds) or `5m`.').meta({ examples: ['60'] }),
}
/** Refuses reversed ranges, ranges that are too long, and ranges with too many points. */
export function checkTimes(
  { start, end, step }: { start: number; end: number; step: number },
  context: z.RefinementCtx,
): void {
  const refuse = (path: string, message: RuleText) => context.addIssue({ code: 'custom', path: [path], message })
  if (end < start) refuse('end', says('monitoring.ends_before_start'))
  else if (end - start > KEPT_SECONDS + 3600) refuse('start', says('monitoring.period_too_long', { most: 30 }))
  else if ((end - start) / step > MOST_POINTS) refuse('step', says('monitoring.step_too_short', { most: MOST_POINTS }))
}
export const MetricRangeQuery = z.strictObject({ query: Query, ...MetricTimes }).superRefine(checkTimes)

/** Unix time in seconds, and a value as text, since it may be `NaN` or `+Inf`. */
const Point = z.tuple([z.number(), z.string()])
const Labels = z.record(z.string(), z.string())
/** Response in Prometheus format. */
export const MetricAnswer = z.object({
  status: z.literal('success'),
  data: z.union([
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: Labels, value: Point })) }),
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: Labels, values: z.array(Point) })),
    }),
    z.object({ resultType: z.enum(['scalar', 'string']), result: Point }),
  ]),
})
export type MetricAnswer = z.infer<typeof MetricAnswer>

/** Queries for historical metrics, compatible with the Prometheus API (S1§7). */
export const metricQueries = endpoints({
  query: {
    verb: 'GET',
    path: '/prometheus/api/v1/query',
    needs: read('overview'),
    summary:
      'Query metrics at one point in time, with PromQL. Covers the current project; for operators, all projects.',
    query: MetricQuery,
    reply: MetricAnswer,
  },
  range: {
    verb: 'GET',
    path: '/prometheus/api/v1/query_range',
    needs: read('overview'),
    summary: 'Query metrics over a time range, with PromQL. Covers the current project; for operators, all projects.',
    query: MetricRangeQuery,
    reply: MetricAnswer,
  },
})
