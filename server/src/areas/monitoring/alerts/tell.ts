import type { Alert } from '@mainstay/contract/monitoring/alerts'
import type { AlertRule, AlertSeverity } from '@mainstay/contract/monitoring/alert-rules'
import type { Log } from '@mainstay/engines/ports/records'
import type { Inside } from '../../../inventory/types'
import type { Tools } from '../../../tools'
import { alertTitle } from './rules'

/* The channels that report alerts to operators: email and SNMP traps, both queued. */

export type Telling = Pick<Tools, 'mailer' | 'traps'> & { log: Pick<Log, 'warn'> }

/** Alerts that one evaluation of a rule has raised and closed. */
export interface Told {
  raised: readonly Alert[]
  closed: readonly Alert[]
}

const mailed: Record<AlertSeverity, 'error' | 'warning' | 'info'> = {
  ...{ critical: 'error', error: 'error', warning: 'warning', info: 'info' },
}

/** Maximum number of objects listed in one email. */
const MOST_MAILED = 50

function lineOf({ object_name, object_part, details, datetime }: Alert): string {
  const name = object_part === null ? object_name : `${object_name} (${object_part})`
  return `- ${name}, since ${datetime}${details === null ? '' : `: ${details}`}`
}

/**
 * Reports raised alerts by email, and raised and closed ones as traps. Both are queued in the transaction that raises
 * and closes the alerts, so that no report is lost and none is sent twice. Settings that cannot be read only prevent
 * their own reports.
 */
export async function tell(tools: Telling, inside: Inside, rule: AlertRule, told: Told): Promise<void> {
  const failed = (err: unknown) => tools.log.warn({ err, rule: rule.type }, 'failed to report an alert')
  if (told.raised.length > 0) await tellByMail(tools, inside, rule, told.raised).catch(failed)
  await tools.traps.tell(inside, told, ({ type, object_name }) => alertTitle(type, [object_name])).catch(failed)
}

/** Sends a single email for all alerts raised by one evaluation of a rule. */
async function tellByMail(
  { mailer }: Telling,
  inside: Inside,
  { type, severity, advice }: AlertRule,
  raised: readonly Alert[],
) {
  const subject = alertTitle(
    type,
    raised.map(({ object_name }) => object_name),
  )
  const more = raised.length - MOST_MAILED
  const lines = [
    `${subject}:`,
    ...raised.slice(0, MOST_MAILED).map(lineOf),
    ...(more > 0 ? [`- and ${more} more`] : []),
    advice,
  ]
  await mailer.alert(mailed[severity], { subject, text: `${lines.join('\n')}\n` }, inside)
}
