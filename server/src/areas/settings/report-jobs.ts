import * as z from 'zod'
import { job, schedule } from '../../module'
import { reportJob } from '../../reports/problem-reports'
import { doneTask } from '../../tasks/done-task'

/** Creates a problem report and sends it if requested. */
export const reporting = job({
  ...reportJob,
  pool: 'bulk',
  run: (run, { problemReports }) => problemReports.run(run),
  onFailure: (run, error, { problemReports }) => problemReports.onFailure(run, error),
})

export const sendingSwitched = doneTask('report.switch_sending')

/** Deletes old problem reports. */
export const reportRetention = schedule({
  name: 'report.retention',
  job: job({
    name: 'report.retention',
    args: z.strictObject({}),
    pool: 'bulk',
    run: (_, { problemReports }) => problemReports.prune(),
  }),
  plan: { cron: '41 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
