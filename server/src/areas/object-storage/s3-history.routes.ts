import { problem } from '@mainstay/contract/core/problems'
import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { s3History } from '@mainstay/contract/object-storage/s3-history'
import { serve } from '../../http/serve'
import { ownStorage } from './access.service'
import { asked, ownS3Of } from './s3-on-behalf-of'

/**
 * Minimum time range in seconds in which a sample is looked up, because each bucket is sampled only every few rounds.
 */
const LEAST_WINDOW = 300

/** Returns the values of the only series in a response, one for each step from `start` to `end`. */
function valuesIn({ data }: MetricAnswer, { start, end, step }: { start: number; end: number; step: number }) {
  const values = Array.from({ length: Math.floor((end - start) / step) + 1 }, (): number | null => null)
  const [series] = data.resultType === 'matrix' ? data.result : []
  for (const [time, text] of series?.values ?? []) {
    const at = Math.round((time - start) / step)
    if (at in values && Number.isFinite(Number(text))) values[at] = Number(text)
  }
  return values
}

export const s3HistoryRoutes = serve(
  s3History,
  {
    async view({ caller, params: { bucket }, query: { start, end, step }, request }, tools) {
      const storage = await ownStorage(tools, caller)
      // S3 decides who may see the size: this call fails if the caller cannot list the bucket
      await asked(async () => (await ownS3Of(tools, caller, request)).list(bucket, '', '', 1))
      const id = await storage.bucketId(bucket)
      if (id === null) throw problem('objectStorage.no_history')
      const { store } = tools.figures
      if (store.advice !== null) throw problem('monitoring.metrics_missing_ask')
      const times = { start: String(start), end: String(end), step: String(step) }
      const values = async (name: string) => {
        const query = `max(last_over_time(mainstay_s3_bucket_${name}{bucket_id="${id}"}[${Math.max(LEAST_WINDOW, Math.ceil(step))}s]))`
        return valuesIn(await store.ask('query_range', { query, labels: {}, times }, request.signal), {
          start,
          end,
          step,
        })
      }
      const [size, objects] = await Promise.all([values('bytes'), values('objects')])
      return { start, step, size, objects }
    },
  },
  { about: 's3_bucket' },
)
