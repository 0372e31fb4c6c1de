import {
  AlertSeverity,
  MAX_ALERT_DURATION,
  type AlertRule,
  type AlertRuleChange,
  type AlertUnit,
} from '@mainstay/contract/monitoring/alert-rules'
import * as z from 'zod'
import { textsNow } from '../../../i18n/use-t'

export interface TypedRule {
  severity: AlertSeverity
  /** Null while the field is empty, and for rules without a threshold. */
  threshold: number | null
  minutes: number | null
}

/** The threshold limits, which are the same as on the server. */
const [LEAST, MOST] = [1, 1000]
export const MOST_MINUTES = MAX_ALERT_DURATION / 60

const between = (least: number, most: number) =>
  z
    .number()
    .nullable()
    .refine((value) => value !== null && value >= least && value <= most, {
      error: () => textsNow('alerts')('rule.between', { least, most }),
    })

/** Schema for the rule form. `unit` is null for a rule without a threshold. */
export const ruleForm = (unit: AlertUnit | null) =>
  z.object({
    severity: AlertSeverity,
    threshold: unit === null ? z.null() : between(LEAST, unit === 'percent' ? 100 : MOST),
    minutes: between(0, MOST_MINUTES),
  }) as unknown as z.ZodType<TypedRule, TypedRule>

export const startOf = ({ severity, threshold, duration_seconds }: AlertRule): TypedRule => ({
  ...{ severity, threshold, minutes: Math.round(duration_seconds / 60) },
})

/**
 * Builds the request body. The duration is sent only if changed because the saved value may not be a whole number of
 * minutes.
 */
export const changeOf = (id: AlertRule['id'], start: TypedRule, typed: TypedRule): AlertRuleChange => ({
  ...{ id, severity: typed.severity },
  ...(typed.threshold !== null && { threshold: typed.threshold }),
  ...(typed.minutes !== null &&
    typed.minutes !== start.minutes && { duration_seconds: Math.round(typed.minutes * 60) }),
})
