import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Id, Time } from '../core/names'
import {
  AlertGroup,
  AlertSeverity,
  AlertType,
  AlertUnit,
  isWholeSuspension,
  NOT_SUSPENDED,
  suspension,
} from './alert-rules'

export const AlertState = z.enum(['raised', 'closed'])
export type AlertState = z.infer<typeof AlertState>

/** An alert about an object. It is raised by a rule, and closed when the condition no longer holds. */
export const Alert = z.object({
  id: z.string(),
  /** Type of the rule that raised it. */
  type: AlertType,
  group: AlertGroup,
  severity: AlertSeverity,
  state: AlertState,
  enabled: z.boolean().describe('False: the alert is ignored and not counted.'),
  suspended: z.boolean().describe('True: the alert is not counted for a while, but stays in the list.'),
  suspended_until: Time.nullable().describe('End of the suspension. Null while suspended: until further notice.'),
  object_kind: z.string(),
  object_id: z.string(),
  object_name: z.string(),
  /** Part of the object that is affected, such as the name of a quota. */
  object_part: z.string().nullable(),
  value: z.number().nullable().describe('Value measured when the alert was raised, in `unit`.'),
  threshold: z.number().nullable(),
  unit: AlertUnit.nullable(),
  message: z.string().describe('Description of the problem.'),
  advice: z.string().describe('Recommended action.'),
  details: z.string().nullable().describe('Details of the cause, if known.'),
  project_id: z.string().nullable(),
  domain_id: z.string().nullable(),
  /** Time at which the condition began to hold. */
  datetime: Time,
  closed_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
})
export type Alert = z.infer<typeof Alert>

const changed = { enabled: z.boolean().optional(), severity: AlertSeverity.optional(), ...suspension }
export const AlertChange = z
  .strictObject({ id: Id, ...changed })
  .refine(isWholeSuspension, NOT_SUSPENDED)
  .meta({ examples: [{ id: someId('alert'), enabled: false, suspended: false, severity: 'warning' }] })
export type AlertChange = z.infer<typeof AlertChange>

/** The same change for the alert in the path. */
export const OneAlertChange = z
  .strictObject(changed)
  .refine(isWholeSuspension, NOT_SUSPENDED)
  .meta({ examples: [{ enabled: false }] })

/** Whether the list of alerts is reliable. Before the first evaluation, it is always empty. */
export const AlertEvaluation = z.object({
  evaluated_at: Time.nullable().describe('Time of the least recent rule evaluation; null if a rule has none yet.'),
  is_current: z.boolean().describe('Whether all rules were evaluated within the last five minutes.'),
})
export type AlertEvaluation = z.infer<typeof AlertEvaluation>

const LATEST_MS = 1e13

/**
 * Returns the sort key: open alerts by severity, newest first; then ignored or suspended alerts; then closed alerts.
 */
function urgencyOf({ state, enabled, suspended, severity, datetime }: Alert): number {
  const severities = AlertSeverity.options
  const isCounted = enabled && !suspended
  const group =
    state === 'closed' ? 2 * severities.length : severities.indexOf(severity) + (isCounted ? 0 : severities.length)
  return group * LATEST_MS + (LATEST_MS - Date.parse(datetime))
}

export const alertKind = kind({
  name: 'alert',
  entity: Alert,
  visibility: 'project',
  status: 'state',
  filters: [
    'id',
    { name: 'type', type: 'id' },
    { name: 'group', type: 'id' },
    { name: 'severity', type: 'id' },
    { name: 'state', type: 'id' },
    'enabled',
    'suspended',
    { name: 'object_kind', type: 'id' },
    { name: 'object_id', type: 'id' },
    'project_id',
  ],
  sortKeys: [
    { name: 'urgency', path: 'derived.urgency', type: 'number' },
    'datetime',
    { name: 'type', type: 'id' },
    'object_name',
    'closed_at',
  ],
  defaultSort: 'urgency:asc',
  derive: { version: 1, from: (alert) => ({ urgency: urgencyOf(alert) }) },
  search: ['object_name', 'message', 'type'],
  permissions: { collection: 'alerts', item: 'alerts' },
})

const path = '/api/v2/alerts'

const usual = crud(alertKind, {
  ...{ path, called: ['an alert', 'alerts'], change: OneAlertChange },
  summaries: { update: 'Update an alert. Ignores or suspends it, or changes its severity.' },
})

/** Alerts (S1§7). */
export const alerts = endpoints({
  ...usual,
  // command-line clients expect a number; alerts raised before numbers were introduced have a UUID
  update: { ...usual.update, reply: Alert.extend({ id: z.union([z.number().int(), z.string()]) }) },
  evaluation: {
    verb: 'GET',
    path: `${path}/evaluation`,
    needs: read('alerts'),
    summary: 'Get the time of the last evaluation of all alert rules',
    reply: AlertEvaluation,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update('alerts'),
    summary: 'Update the alert given in the body. Ignores or suspends it, or changes its severity.',
    body: AlertChange,
    reply: Alert,
  },
})
