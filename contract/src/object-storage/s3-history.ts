import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { MetricTimes, checkTimes } from '../monitoring/metric-queries'

/**
 * Size and object count of a bucket over time, one value per step from `start`; null if not measured. Sizes in bytes.
 */
export const S3BucketHistory = z.object({
  start: z.number().describe('Unix time in seconds.'),
  step: z.number().describe('In seconds.'),
  size: z.array(z.number().nullable()),
  objects: z.array(z.number().nullable()),
})
export type S3BucketHistory = z.infer<typeof S3BucketHistory>

export const s3History = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/s3service/buckets/:bucket/history',
    needs: read('s3_enable'),
    summary: 'Get the size and object count of a bucket over time. Requires permission to list the bucket.',
    query: z.strictObject(MetricTimes).superRefine(checkTimes),
    reply: S3BucketHistory,
  },
})
