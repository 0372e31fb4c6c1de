import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { someId } from '../core/example'

/** Instances of one call: those that a screen shows at once. */
export const MOST_FIGURED = 100
/** How far `cpu_history` reaches back, and the time between two of its values, seconds. */
export const FIGURES_SECONDS = 12 * 3600
export const FIGURES_STEP = 900

const Share = z.number().nullable().describe('0 to 100; null where nothing is known')

export const InstanceMetrics = z.object({
  id: z.string(),
  cpu_usage: Share.describe('Now'),
  mem_usage: Share.describe('Now'),
  cpu_history: z
    .array(Share)
    .describe(
      `Means of ${FIGURES_STEP / 60} minutes each, of the last ${FIGURES_SECONDS / 3600} hours, the newest last`,
    ),
})
export type InstanceMetrics = z.infer<typeof InstanceMetrics>

export const instanceFigures = endpoints({
  several: {
    verb: 'GET',
    path: '/api/v2/compute/server-figures',
    needs: read('compute_servers'),
    summary: 'The load of several instances, now and in the last hours; those that the caller may not see are left out',
    query: z.strictObject({
      ids: z
        .string()
        .min(1, says('monitoring.name_instances'))
        .max(8000)
        .refine(
          (ids) => ids.split(',').length <= MOST_FIGURED,
          says('monitoring.too_many_instances', { most: MOST_FIGURED }),
        )
        .describe(`At most ${MOST_FIGURED} ids, separated by commas`)
        .meta({ examples: [someId('server')] }),
    }),
    reply: z.object({ data: z.array(InstanceMetrics) }),
  },
})
