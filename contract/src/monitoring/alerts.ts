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

/** Something that needs somebody: raised by a rule about one object, and closed when it is over. */
export const Alert = z.object({
  id: z.string(),
  /** The rule that raised it. */
  type: AlertType,
  group: AlertGroup,
  severity: AlertSeverity,
  state: AlertState,
  enabled: z.boolean().describe('False: it is ignored, and counted nowhere'),
  suspended: z.boolean().describe('True: it is counted nowhere for a while, and stays in the list'),
  suspended_until: Time.nullable().describe('Null while it is suspended: until further notice'),
  object_kind: z.string(),
  object_id: z.string(),
  object_name: z.string(),
  /** Which of several things of the object: the name of a quota. */
  object_part: z.string().nullable(),
  value: z.number().nullable().describe('What was measured when it was raised, in `unit`'),
  threshold: z.number().nullable(),
  unit: AlertUnit.nullable(),
  message: z.string().describe('What is the matter'),
  advice: z.string().describe('What to do next'),
  details: z.string().nullable().describe('What is known of the cause'),
  project_id: z.string().nullable(),
  domain_id: z.string().nullable(),
  /** Since when it stands. */
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

/** The same of the alert in the path. */
export const OneAlertChange = z
  .strictObject(changed)
  .refine(isWholeSuspension, NOT_SUSPENDED)
  .meta({ examples: [{ enabled: false }] })

/** Whether the list of alerts can be believed: before the first evaluation it is empty whatever is wrong. */
export const AlertEvaluation = z.object({
  evaluated_at: Time.nullable().describe('The oldest of the last evaluations of all rules; null: one has none yet'),
  is_current: z.boolean().describe('Every rule was evaluated within the last five minutes'),
})
export type AlertEvaluation = z.infer<typeof AlertEvaluation>

const LATEST_MS = 1e13

/** Orders what needs somebody first: by severity, each newest first; then what is ignored or suspended; then what is closed. */
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
  summaries: { update: 'Ignore or suspend an alert, or change its severity' },
})

/** S1§7 */
export const alerts = endpoints({
  ...usual,
  // command-line clients expect the id as a number; alerts that are older than the numbers have a UUID
  update: { ...usual.update, reply: Alert.extend({ id: z.union([z.number().int(), z.string()]) }) },
  evaluation: {
    verb: 'GET',
    path: `${path}/evaluation`,
    needs: read('alerts'),
    summary: 'When the rules of alerts were evaluated last',
    reply: AlertEvaluation,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update('alerts'),
    summary: 'Ignore or suspend an alert that the body names, or change its severity',
    body: AlertChange,
    reply: Alert,
  },
})
