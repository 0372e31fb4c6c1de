import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { serve } from '../../http/serve'
import { queryMetrics } from './metric-queries.service'

export const metricQueryRoutes = serve(metricQueries, {
  query: ({ scope, query: { query, time }, request }, tools) =>
    queryMetrics(tools, scope, 'query', query, time === undefined ? {} : { time: String(time) }, request.signal),

  range: ({ scope, query: { query, start, end, step }, request }, tools) => {
    const times = { start: String(start), end: String(end), step: String(step) }
    return queryMetrics(tools, scope, 'query_range', query, times, request.signal)
  },
})
