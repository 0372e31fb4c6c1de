import type { AlertSeverity, AlertType, AlertUnit } from '@mainstay/contract/monitoring/alert-rules'
import type { Alert } from '@mainstay/contract/monitoring/alerts'
import type { Translate } from '../i18n/use-t'
import { AlertsIcon, InfoIcon, type Icon } from '../ui/icons'
import type { Tone } from '../ui/tone'

type T = Translate<'alerts'>

export const severityTones: Readonly<Record<AlertSeverity, Tone>> = {
  ...{ critical: 'bad', error: 'bad', warning: 'warn', info: 'busy' },
}
/** One that only informs is not busy. */
export const severityIcon = (severity: AlertSeverity): Icon | undefined =>
  severity === 'info' ? InfoIcon : severity === 'critical' ? AlertsIcon : undefined

/** What is the matter. */
export const alertText = (type: AlertType, t: T): string => t(`type.${type}`)
/** What to do next. */
export const adviceText = (type: AlertType, t: T): string => t(`advice.${type}`)

/** A value or a threshold with its unit: "97%", "5 days". */
export const valueText = (value: number | null, unit: AlertUnit | null, t: T): string =>
  value === null || unit === null ? '–' : t(`value.${unit}`, { value })

/** Filters of `GET /api/v2/alerts` for those that need somebody now. */
export const openAlerts = { state: 'raised', enabled: 'true', suspended: 'false' } as const

/** Whether it needs somebody now: open, and neither ignored nor suspended. */
export const isOpen = ({ state, enabled, suspended }: Alert): boolean => state === 'raised' && enabled && !suspended
