import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { MetricTimes, checkTimes } from '../monitoring/metric-queries'

/** What a bucket held over time, a value for each step from the first one on; null where nobody counted. Sizes in bytes. */
export const S3BucketHistory = z.object({
  start: z.number().describe('Seconds since 1970'),
  step: z.number().describe('Seconds'),
  size: z.array(z.number().nullable()),
  objects: z.array(z.number().nullable()),
})
export type S3BucketHistory = z.infer<typeof S3BucketHistory>

export const s3History = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/s3service/buckets/:bucket/history',
    needs: read('s3_enable'),
    summary: 'The size and the number of objects of a bucket over time, for whoever may list it',
    query: z.strictObject(MetricTimes).superRefine(checkTimes),
    reply: S3BucketHistory,
  },
})
