import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { someId } from '../core/example'

/** Maximum number of instances per call, enough for one screen. */
export const MOST_FIGURED = 100
/** Time span and interval of `cpu_history`, in seconds. */
export const FIGURES_SECONDS = 12 * 3600
export const FIGURES_STEP = 900

const Share = z.number().nullable().describe('Percentage, 0 to 100; null if unknown.')

export const InstanceMetrics = z.object({
  id: z.string(),
  cpu_usage: Share.describe('Current percentage, 0 to 100; null if unknown.'),
  mem_usage: Share.describe('Current percentage, 0 to 100; null if unknown.'),
  cpu_history: z
    .array(Share)
    .describe(
      `Averages over ${FIGURES_STEP / 60} minutes each, for the last ${FIGURES_SECONDS / 3600} hours, newest last.`,
    ),
})
export type InstanceMetrics = z.infer<typeof InstanceMetrics>

export const instanceFigures = endpoints({
  several: {
    verb: 'GET',
    path: '/api/v2/compute/server-figures',
    needs: read('compute_servers'),
    summary: 'Get the load of multiple virtual machines, now and in the last hours. Omits those that you cannot see.',
    query: z.strictObject({
      ids: z
        .string()
        .min(1, says('monitoring.name_instances'))
        .max(8000)
        .refine(
          (ids) => ids.split(',').length <= MOST_FIGURED,
          says('monitoring.too_many_instances', { most: MOST_FIGURED }),
        )
        .describe(`At most ${MOST_FIGURED} IDs, separated by commas.`)
        .meta({ examples: [someId('server')] }),
    }),
    reply: z.object({ data: z.array(InstanceMetrics) }),
  },
})
