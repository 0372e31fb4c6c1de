import type { Said } from '@mainstay/contract/core/said'
import type { AlertSeverity, AlertType, AlertUnit } from '@mainstay/contract/monitoring/alert-rules'
import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { messageNow } from '../i18n/said'
import type { Translate } from '../i18n/use-t'
import { AlertsIcon, InfoIcon, type Icon } from '../ui/icons'
import type { Tone } from '../ui/tone'

type T = Translate<'alerts'>

const said = (it: Said): string => messageNow(it) ?? it.key

export const severityTones: Readonly<Record<AlertSeverity, Tone>> = {
  ...{ critical: 'bad', error: 'bad', warning: 'warn', info: 'busy' },
}
/** One that only informs is not busy. */
export const severityIcon = (severity: AlertSeverity): Icon | undefined =>
  severity === 'info' ? InfoIcon : severity === 'critical' ? AlertsIcon : undefined

/** What is the matter, in the words of the rule: those of the contract, which come with the catalogue of alerts. */
export const alertText = (type: AlertType): string => said({ key: `monitoring.alert_${type}`, values: {} })
/** "old-erp failed", "4 virtual machines failed": what open alerts of one rule are about. */
export const alertTitle = (alerts: readonly Alert[]): string =>
  said({
    key: `monitoring.alert_title_${alerts[0]!.type}`,
    values: { count: alerts.length, name: alerts[0]!.object_name },
  })
/** What to do next. */
export const adviceText = (type: AlertType): string => said({ key: `monitoring.alert_advice_${type}`, values: {} })

/** A value or a threshold with its unit: "97%", "5 days". */
export const valueText = (value: number | null, unit: AlertUnit | null, t: T): string =>
  value === null || unit === null ? '–' : t(`value.${unit}`, { value })

/** Whether it needs somebody now: open, and neither ignored nor suspended. */
export const isOpen = ({ state, enabled, suspended }: Alert): boolean => state === 'raised' && enabled && !suspended

/** Alerts by their rule: one cause is told once, in the order of its first alert. */
export const byRule = (alerts: readonly Alert[]): Alert[][] => [
  ...alerts
    .reduce(
      (groups, alert) => groups.set(alert.type, [...(groups.get(alert.type) ?? []), alert]),
      new Map<AlertType, Alert[]>(),
    )
    .values(),
]
