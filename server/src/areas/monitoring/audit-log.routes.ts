import { AUDIT_EXPORT_LIMIT, auditLog } from '@mainstay/contract/monitoring/audit-log'
import { notFound } from '@mainstay/contract/core/problems'
import { linesAsFile } from '../../audit/line-files'
import { serve } from '../../http/serve'

const contentTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' }

export const auditLogRoutes = serve(
  auditLog,
  {
    list: ({ scope, query }, tools) => tools.auditLog.page(scope, query),

    activities: (_, tools) => ({ data: [...tools.auditLog.activities] }),

    export({ scope, query: { format, ...query } }, tools) {
      const lines = tools.auditLog.lines(scope, query, AUDIT_EXPORT_LIMIT)
      const day = new Date().toISOString().slice(0, 10)
      return {
        bytes: linesAsFile(lines, format),
        sizeBytes: null,
        fileName: `audit-log-${day}.${format}`,
        contentType: contentTypes[format],
      }
    },

    async view({ scope, params }, tools) {
      const line = await tools.auditLog.line(scope, params.id)
      if (!line) throw notFound()
      return line
    },
  },
  { about: 'audit_log' },
)
