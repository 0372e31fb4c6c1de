import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Time } from '../core/names'

/** From the worst on. */
export const AlertSeverity = z.enum(['critical', 'error', 'warning', 'info'])
export type AlertSeverity = z.infer<typeof AlertSeverity>

export const AlertGroup = z.enum(['compute', 'network', 'node', 'platform', 'quota', 'storage'])
export type AlertGroup = z.infer<typeof AlertGroup>

/** Which rules there are. Their conditions are code of the server; how they are used is data. */
export const AlertType = z.enum([
  'balancer_certificate_expires',
  'balancer_error',
  'certificate_expires',
  'figures_down',
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

/** What a threshold is counted in; null where a rule has none. */
export const AlertUnit = z.enum(['percent', 'days', 'times'])
export type AlertUnit = z.infer<typeof AlertUnit>

/** Whether a rule could be evaluated the last time: without figures nothing is raised by it, and nothing closed. */
export const AlertRuleState = z.enum(['evaluated', 'unknown', 'waiting'])

/** The longest time that a condition can be asked to hold, seconds. */
export const MAX_ALERT_DURATION = 86_400

/** Under which condition an alert is raised, and whether it is at all. */
export const AlertRule = z.object({
  /** The same as `type`. */
  id: AlertType,
  type: AlertType,
  group: AlertGroup,
  object_kind: z
    .string()
    .describe('Kind of the objects that it is about: `server`, `volume`, `load_balancer`, `project`, `node`, `part`'),
  severity: AlertSeverity,
  enabled: z.boolean().describe('Whether it raises alerts; one that is disabled closes those that stand'),
  suspended: z.boolean().describe('Whether it raises nothing for a while; what stands stays'),
  suspended_until: Time.nullable().describe('Null while it is suspended: until further notice'),
  threshold: z.number().nullable(),
  unit: AlertUnit.nullable(),
  duration_seconds: z.int().describe('How long the condition holds before an alert is raised, seconds'),
  state: AlertRuleState,
  message: z.string().describe('What is the matter when it raises an alert'),
  advice: z.string().describe('What to do then'),
  created_at: Time,
  updated_at: Time,
})
export type AlertRule = z.infer<typeof AlertRule>

/** How alerts and rules are suspended: until a time, or until further notice. */
export const suspension = {
  suspended: z.boolean().optional(),
  suspended_until: Time.nullable().optional().describe('Only with `suspended: true`; null: until further notice'),
}

/** A time without a suspension would be kept and mean nothing. */
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
    threshold: z.number().min(1).max(1000).optional().describe('Of a rule that has one; at most 100 percent'),
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
  ...crud(alertRuleKind, { path, called: ['a rule of alerts', 'rules of alerts'] }),
  save: {
    verb: 'PUT',
    path,
    needs: update('alert_types'),
    summary: 'Enable, disable or suspend a rule of alerts, or change its severity, threshold or duration',
    body: AlertRuleChange,
    reply: AlertRule,
  },
})
