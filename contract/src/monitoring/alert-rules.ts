import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Time } from '../core/names'

/** Most severe first. */
export const AlertSeverity = z.enum(['critical', 'error', 'warning', 'info'])
export type AlertSeverity = z.infer<typeof AlertSeverity>

export const AlertGroup = z.enum(['compute', 'network', 'node', 'platform', 'quota', 'storage'])
export type AlertGroup = z.infer<typeof AlertGroup>

/** Types of alert rules. Their conditions are implemented in the server; their settings are data. */
export const AlertType = z.enum([
  'backup_failed',
  'balancer_certificate_expires',
  'balancer_error',
  'certificate_expires',
  'figures_down',
  'management_backup_overdue',
  'node_clock_wrong',
  'node_disk_failed',
  'node_down',
  'node_high_cpu',
  'node_high_memory',
  'node_low_space',
  'part_down',
  'quota_near_limit',
  'storage_full',
  'storage_nearly_full',
  'task_fails_often',
  'task_stuck',
  'vm_error',
  'vm_high_cpu',
  'vm_high_memory',
  'vm_stuck',
  'volume_error',
  'volume_stuck',
  'vpn_down',
])
export type AlertType = z.infer<typeof AlertType>

/** Unit of the threshold; null if the rule has none. */
export const AlertUnit = z.enum(['percent', 'days', 'times', 'seconds'])
export type AlertUnit = z.infer<typeof AlertUnit>

/** Result of the last evaluation. Without metrics, a rule neither raises nor closes alerts. */
export const AlertRuleState = z.enum(['evaluated', 'unknown', 'waiting'])

/** Maximum duration of a condition in seconds. */
export const MAX_ALERT_DURATION = 86_400

/** When an alert is raised, and whether the rule is enabled. */
export const AlertRule = z.object({
  /** Same as `type`. */
  id: AlertType,
  type: AlertType,
  group: AlertGroup,
  object_kind: z
    .string()
    .describe('Kind of the monitored objects: `server`, `volume`, `load_balancer`, `project`, `node` or `part`.'),
  severity: AlertSeverity,
  enabled: z.boolean().describe('Whether the rule raises alerts. Disabling it closes its open alerts.'),
  suspended: z.boolean().describe('Whether the rule is suspended: it raises no alerts, and its open alerts stay open.'),
  suspended_until: Time.nullable().describe('End of the suspension. Null while suspended: until further notice.'),
  threshold: z.number().nullable(),
  unit: AlertUnit.nullable(),
  duration_seconds: z.int().describe('How long the condition must hold before an alert is raised, in seconds.'),
  state: AlertRuleState,
  message: z.string().describe('Problem that alerts from this rule report.'),
  advice: z.string().describe('Recommended action.'),
  created_at: Time,
  updated_at: Time,
})
export type AlertRule = z.infer<typeof AlertRule>

/** Suspension of alerts and rules, until a time or until further notice. */
export const suspension = {
  suspended: z.boolean().optional(),
  suspended_until: Time.nullable().optional().describe('Only with `suspended: true`. Null: until further notice.'),
}

/** Whether the two fields are consistent: an end time without a suspension would have no effect. */
export const isWholeSuspension = (given: {
  suspended?: boolean | undefined
  suspended_until?: string | null | undefined
}) => given.suspended === true || (given.suspended_until ?? null) === null
export const NOT_SUSPENDED = { path: ['suspended_until'], message: says('monitoring.suspend_as_well') }

export const AlertRuleChange = z
  .strictObject({
    id: AlertType,
    enabled: z.boolean().optional(),
    severity: AlertSeverity.optional(),
    threshold: z
      .number()
      .min(1)
      .max(1000)
      .optional()
      .describe('Only if the rule has a threshold. At most 100 if the unit is percent.'),
    duration_seconds: z.int().min(0).max(MAX_ALERT_DURATION).optional(),
    ...suspension,
  })
  .refine(isWholeSuspension, NOT_SUSPENDED)
  .meta({ examples: [{ id: 'vm_error', enabled: true, severity: 'warning', duration_seconds: 600 }] })
export type AlertRuleChange = z.infer<typeof AlertRuleChange>

export const alertRuleKind = kind({
  name: 'alert_rule',
  entity: AlertRule,
  visibility: 'system',
  filters: [
    { name: 'type', type: 'id' },
    { name: 'group', type: 'id' },
    { name: 'severity', type: 'id' },
    'enabled',
    'suspended',
  ],
  sortKeys: [
    { name: 'type', type: 'id' },
    { name: 'group', type: 'id' },
    { name: 'severity', type: 'id' },
  ],
  defaultSort: 'type:asc',
  search: ['type', 'message'],
  permissions: { collection: 'alert_types', item: 'alert_types' },
})

const path = '/api/v2/alerts/types'

export const alertRules = endpoints({
  ...crud(alertRuleKind, { path, called: ['an alert rule', 'alert rules'] }),
  save: {
    verb: 'PUT',
    path,
    needs: update('alert_types'),
    summary: 'Update an alert rule. Enables, disables or suspends it, or changes its severity, threshold or duration.',
    body: AlertRuleChange,
    reply: AlertRule,
  },
})
