import { randomInt, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { AlertSeverity } from '@mainstay/contract/monitoring/alert-rules'
import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { receiverOf, Snmp, type Trap } from '@mainstay/contract/settings/snmp'
import type { RunAgain } from '@mainstay/engines/ports/records'
import type { Inside } from '../inventory/types'
import type { Setting, Settings, StoredSetting } from '../settings/settings'
import { enqueue } from '../tasks/job'
import { nextAttempt } from '../tasks/next-attempt'
import { serverScope } from '../tasks/server-scope'
import { notificationObjects, notificationOid, type Notification, type NotificationValues } from './mib'
import { sendTraps } from './send-traps'
import { trapBytes } from './trap'

/** Stored SNMP settings. The communities are kept separately, as the setting's secret. */
const SnmpSettings = Snmp.extend({ traps: z.array(Snmp.shape.traps.element.omit({ has_community: true })) })
export type SnmpSettings = z.infer<typeof SnmpSettings>

export const snmpSetting: Setting<SnmpSettings> = { name: 'snmp', shape: SnmpSettings }

const Communities = z.record(z.string(), z.string())

/** The stored communities by receiver. Empty if this server cannot decrypt them. */
export const communitiesIn = (kept: StoredSetting<SnmpSettings> | null): Readonly<Record<string, string>> =>
  kept?.secret ? Communities.parse(JSON.parse(kept.secret.reveal())) : {}

/** Maximum number of alerts that are sent per evaluation of a rule. The list of alerts also shows the others. */
const MOST_SENT = 100

const Notice = z.strictObject({
  name: z.enum(['alertRaised', 'alertClosed', 'alertTest']) satisfies z.ZodType<Notification>,
  values: z.record(z.string(), z.string()) as unknown as z.ZodType<NotificationValues>,
})
type Notice = z.infer<typeof Notice>

const TrapArgs = z.strictObject({ ip: z.string(), port: z.number(), notices: z.array(Notice) })
/** Queued traps for one receiver. The community is omitted, because it is read when the traps are sent. */
type QueuedTraps = z.infer<typeof TrapArgs>
/** Job that sends queued traps. Its handler is in the settings area. */
export const trapJob = { name: 'snmp.send', args: TrapArgs }

export interface TrapSender {
  /** Sends a test trap immediately. Returns its size in bytes. Throws a `trap_not_sent` error. */
  test(receiver: Pick<Trap, 'ip' | 'port'>, community: string): Promise<number>
  /**
   * Queues traps about alerts for all enabled receivers, in the transaction that raises and closes the alerts, so that
   * none is lost. Does nothing while traps are disabled.
   */
  tell(
    inside: Inside,
    told: { raised: readonly Alert[]; closed: readonly Alert[] },
    title: (alert: Alert) => string,
  ): Promise<void>
  /** Tries to send queued traps. `tried`: number of earlier attempts. */
  attempt(queued: QueuedTraps, tried: number): Promise<RunAgain | { sent: boolean }>
}

const severities = AlertSeverity.options
const bySeverity = (alerts: readonly Alert[]): Alert[] =>
  alerts.toSorted((one, two) => severities.indexOf(one.severity) - severities.indexOf(two.severity))

const noticeOf = (name: Notification, alert: Alert, text: string): Notice => ({
  name,
  values: {
    ...{ alertId: alert.id, alertType: alert.type, alertSeverity: alert.severity, alertText: text },
    ...{ alertObjectKind: alert.object_kind, alertObjectId: alert.object_id, alertObjectName: alert.object_name },
    alertDetails: alert.details ?? '',
    alertTime: alert.closed_at ?? alert.datetime,
  },
})

const testNotice = (): Notice => ({
  name: 'alertTest',
  values: {
    ...{ alertId: '', alertType: '', alertSeverity: '', alertText: 'Test trap', alertObjectKind: '' },
    ...{ alertObjectId: '', alertObjectName: '', alertDetails: '', alertTime: new Date().toISOString() },
  },
})

const bytesOf = ({ name, values }: Notice, community: string): Buffer =>
  trapBytes({
    ...{ community, requestId: randomInt(1, 2 ** 31), uptime: Math.floor(process.uptime() * 100) },
    ...{ notification: notificationOid(name), objects: notificationObjects(values) },
  })

export function createTrapSender(parts: {
  settings: Settings
  log: { warn(fields: object, message: string): void }
}): TrapSender {
  const { settings, log } = parts
  /** The enabled receivers; none while traps are disabled. */
  const receivers = (kept: StoredSetting<SnmpSettings> | null) =>
    kept?.value.enabled ? kept.value.traps.filter(({ enabled }) => enabled) : []

  return {
    async test(receiver, community) {
      const bytes = bytesOf(testNotice(), community)
      await sendTraps(receiver, [bytes])
      return bytes.length
    },

    async tell({ records, sql }, { raised, closed }, title) {
      if (raised.length + closed.length === 0) return
      const to = receivers(await settings.readIn(sql, snmpSetting))
      if (to.length === 0) return
      const all = [
        // new and severe alerts come first, because only so many are sent
        ...bySeverity(raised).map((alert) => noticeOf('alertRaised', alert, title(alert))),
        ...bySeverity(closed).map((alert) => noticeOf('alertClosed', alert, title(alert))),
      ]
      if (all.length > MOST_SENT)
        log.warn({ alerts: all.length, most: MOST_SENT }, 'some alerts are not sent as SNMP traps')
      const notices = all.slice(0, MOST_SENT)
      for (const { ip, port } of to)
        await enqueue(records, trapJob, {
          args: { ip, port, notices },
          subject: { kind: 'trap', id: randomUUID(), name: 'trap' },
          ...{ scope: serverScope, hidden: true },
        })
    },

    async attempt({ ip, port, notices }, tried) {
      const kept = await settings.read(snmpSetting)
      const receiver = receiverOf({ ip, port })
      // the receiver has been removed or disabled since then
      if (!receivers(kept).some((one) => receiverOf(one) === receiver)) return { sent: false }
      try {
        const community = communitiesIn(kept)[receiver]
        if (community === undefined) throw problem('settings.community_again')
        await sendTraps(
          { ip, port },
          notices.map((notice) => bytesOf(notice, community)),
        )
        return { sent: true }
      } catch (failure) {
        if (!(failure instanceof Problem)) throw failure
        const again = nextAttempt(tried)
        log.warn(
          { receiver, reason: failure.message, attempt: tried + 1 },
          again ? 'failed to send SNMP traps; retrying later' : 'discarded undeliverable SNMP traps',
        )
        return again ?? { sent: false }
      }
    },
  }
}
