import { Readable } from 'node:stream'
import { reports } from '@mainstay/contract/settings/reports'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { limits } from '../../limits'
import { changed, reportSetting, shown } from '../../reports/report-setting'

/** Each is work for the server, and takes the place of an older one. Operators look after both. */
const made = createRates(limits.problemReports)

export const reportRoutes = serve(
  reports,
  {
    settings: async ({ scope }, { settings, problemReports }) =>
      shown(await settings.read(reportSetting), await problemReports.isRunning(), scope.kind === 'system'),
    async saveSettings({ body }, { settings, problemReports }) {
      const saved = await settings.change(reportSetting, (kept) => changed(kept, body))
      return shown(saved, await problemReports.isRunning(), true)
    },
    async create({ scope, body, caller }, { problemReports }) {
      if (scope.kind !== 'system') takeOne(made, caller.user.id, 'to report a problem')
      return { task_id: await problemReports.begin(scope, body) }
    },
    list: async (_, { problemReports }) => ({ data: await problemReports.list() }),
    async download({ params }, { problemReports }) {
      const { fileName, bytes } = await problemReports.archive(params.id)
      return { bytes: Readable.from([bytes]), sizeBytes: bytes.length, fileName, contentType: 'application/gzip' }
    },
    delete: ({ params }, { problemReports }) => problemReports.delete(params.id),
  },
  { about: 'report' },
)
