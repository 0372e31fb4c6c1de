import * as z from 'zod'
import { job, schedule } from '../../module'
import { tidy } from '../../tasks/janitor'

const plan = { time_zone: 'UTC', jitter_seconds: 0, missed: 'once' as const }

/** Old lines of the audit log. */
export const auditRetention = schedule({
  name: 'audit.retention',
  job: job({
    name: 'audit.retention',
    args: z.strictObject({}),
    pool: 'bulk',
    run: (_, { audit, auditDays }) => audit.prune(auditDays),
  }),
  plan: { ...plan, cron: '23 * * * *' },
})

/** Old tasks, the end of the change log, and what servers left that are no more. */
export const tidying = schedule({
  name: 'server.tidy',
  job: job({
    name: 'server.tidy',
    args: z.strictObject({}),
    pool: 'bulk',
    run: ({ signal }, { inventory }) => tidy(inventory, signal),
  }),
  plan: { ...plan, cron: '*/10 * * * *' },
})
