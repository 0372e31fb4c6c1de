import { Readable } from 'node:stream'
import { problem } from '@mainstay/contract/core/problems'
import { reports } from '@mainstay/contract/settings/reports'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { limits } from '../../limits'
import { changed, reportSetting, shown } from '../../reports/report-setting'
import { addDoneTask } from '../../tasks/done-task'
import { sendingSwitched } from './report-jobs'

/**
 * Rate limit for callers who are not operators, because creating a report is expensive and can displace an older one.
 */
const made = createRates(limits.problemReports)

/**
 * Actions of command-line clients that enable or disable sending. Actions for other reports, such as crash reports, are
 * not supported.
 */
const sendingAfter: ReadonlyMap<string, boolean> = new Map([
  ['enable-sending', true],
  ['disable-sending', false],
])

export const reportRoutes = serve(
  reports,
  {
    settings: async ({ scope }, { settings, problemReports }) =>
      shown(await settings.read(reportSetting), await problemReports.isRunning(), scope.kind === 'system'),
    async saveSettings({ body }, { settings, problemReports }) {
      const saved = await settings.change(reportSetting, (kept) => changed(kept, body))
      return shown(saved, await problemReports.isRunning(), true)
    },
    async switch({ scope, params: { sort, action } }, { settings, inventory }) {
      const sending_enabled = sort === 'problem' ? sendingAfter.get(action) : undefined
      if (sending_enabled === undefined) throw problem('settings.reports_only')
      await settings.change(reportSetting, (kept) => changed(kept, { problem: { sending_enabled } }))
      const subject = { kind: 'report', id: sort, name: sort }
      return { task_id: await addDoneTask(inventory, sendingSwitched, { subject, scope }) }
    },
    async create({ scope, body, caller }, { problemReports }) {
      if (scope.kind !== 'system') takeOne(made, caller.user.id, 'report')
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
