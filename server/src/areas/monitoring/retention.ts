import * as z from 'zod'
import { job, schedule } from '../../module'
import { tidy } from '../../tasks/janitor'

const plan = { time_zone: 'UTC', jitter_seconds: 0, missed: 'once' as const }

/** Deletes old audit log entries. */
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

/** Adds completed audit log entries to the hash chain and, if configured, forwards them to syslog. */
export const auditSealing = schedule({
  name: 'audit.seal',
  job: job({
    name: 'audit.seal',
    args: z.strictObject({}),
    pool: 'bulk',
    async run(_, { audit, config: { auditSyslog }, log }) {
      await audit.seal()
      // if the receiver is unavailable, the next run tries again
      if (auditSyslog)
        await audit.forward(auditSyslog).catch((err: unknown) => {
          log.warn({ err, ...auditSyslog }, 'failed to forward the audit log to syslog')
        })
    },
  }),
  plan: { ...plan, cron: '* * * * *' },
})

/** Deletes old tasks, old entries in the change log, unused tables and records of servers that no longer exist. */
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
