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
    run: (_, { audit, config }) => audit.prune(config.auditDays),
  }),
  plan: { ...plan, cron: '23 * * * *' },
})

/** Lines of the audit log that change no more become part of its chain, and are forwarded where it is configured. */
export const auditSealing = schedule({
  name: 'audit.seal',
  job: job({
    name: 'audit.seal',
    args: z.strictObject({}),
    pool: 'bulk',
    async run(_, { audit, config: { auditSyslog }, log }) {
      await audit.seal()
      // a receiver that is away is asked again the next time
      if (auditSyslog)
        await audit.forward(auditSyslog).catch((err: unknown) => {
          log.warn({ err, ...auditSyslog }, 'the audit log could not be forwarded by syslog')
        })
    },
  }),
  plan: { ...plan, cron: '* * * * *' },
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
