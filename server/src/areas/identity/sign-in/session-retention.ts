import * as z from 'zod'
import { job, schedule } from '../../../module'

/** Deletes old sessions, sign-in steps, failed sign-ins, known sign-in sources and lock notices. */
export const sessionRetention = schedule({
  name: 'session.retention',
  job: job({
    name: 'session.retention',
    args: z.strictObject({}),
    pool: 'bulk',
    run: (_, { sessions }) => sessions.prune(),
  }),
  plan: { cron: '41 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
