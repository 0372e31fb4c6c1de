import { englishOf } from '@mainstay/contract/core/english'
import type { AlertRule, AlertType } from '@mainstay/contract/monitoring/alert-rules'
import type { Inventory } from '../../../inventory/types'

type BuiltIn = Pick<AlertRule, 'group' | 'object_kind' | 'severity' | 'threshold' | 'unit' | 'duration_seconds'>

const minutes = (count: number) => count * 60
const often = { threshold: 90, unit: 'percent', duration_seconds: minutes(15), severity: 'warning' } as const
const state = { threshold: null, unit: null } as const
/** Work counts as stuck after this long without progress. Operators can change the duration in the rules. */
const stuck = { ...state, severity: 'warning', duration_seconds: minutes(30) } as const

/** Default rules. Operators can disable them and change their severity, threshold and duration. */
export const builtInRules: Record<AlertType, BuiltIn> = {
  backup_failed: {
    ...{ group: 'storage', object_kind: 'backup_plan', severity: 'error', ...state, duration_seconds: 0 },
  },
  balancer_certificate_expires: {
    ...{ group: 'network', object_kind: 'load_balancer', severity: 'warning' },
    ...{ threshold: 30, unit: 'days', duration_seconds: 0 },
  },
  balancer_error: {
    ...{ group: 'network', object_kind: 'load_balancer', severity: 'error', ...state, duration_seconds: minutes(1) },
  },
  certificate_expires: {
    ...{ group: 'platform', object_kind: 'certificate', severity: 'warning' },
    ...{ threshold: 30, unit: 'days', duration_seconds: 0 },
  },
  figures_down: {
    ...{ group: 'platform', object_kind: 'part', severity: 'error', ...state, duration_seconds: minutes(3) },
  },
  management_backup_overdue: {
    ...{ group: 'platform', object_kind: 'management_backup', severity: 'warning', ...state, duration_seconds: 0 },
  },
  node_clock_wrong: {
    ...{ group: 'node', object_kind: 'node', severity: 'warning' },
    ...{ threshold: 5, unit: 'seconds', duration_seconds: minutes(10) },
  },
  node_disk_failed: {
    ...{ group: 'node', object_kind: 'node', severity: 'error', ...state, duration_seconds: 0 },
  },
  // a node counts as offline only after several attempts, and clouds wait as well, so no further time has to pass
  node_down: {
    ...{ group: 'node', object_kind: 'node', severity: 'critical', ...state, duration_seconds: 0 },
  },
  node_high_cpu: {
    ...{ group: 'node', object_kind: 'node', ...often },
  },
  node_high_memory: {
    ...{ group: 'node', object_kind: 'node', ...often },
  },
  node_low_space: {
    ...{ group: 'node', object_kind: 'node', ...often, severity: 'error', duration_seconds: minutes(5) },
  },
  part_down: {
    ...{ group: 'platform', object_kind: 'part', severity: 'critical', ...state, duration_seconds: minutes(2) },
  },
  quota_near_limit: {
    ...{ group: 'quota', object_kind: 'project', ...often, severity: 'info', duration_seconds: minutes(5) },
  },
  storage_full: {
    ...{ group: 'storage', object_kind: 'storage', severity: 'critical' },
    ...{ threshold: 95, unit: 'percent', duration_seconds: 0 },
  },
  storage_nearly_full: {
    ...{ group: 'storage', object_kind: 'storage', severity: 'warning' },
    ...{ threshold: 85, unit: 'percent', duration_seconds: 0 },
  },
  task_fails_often: {
    ...{ group: 'compute', object_kind: 'task', severity: 'warning' },
    ...{ threshold: 3, unit: 'times', duration_seconds: 0 },
  },
  task_stuck: {
    ...{ group: 'platform', object_kind: 'task', ...stuck },
  },
  vm_error: {
    ...{ group: 'compute', object_kind: 'server', severity: 'error', ...state, duration_seconds: 0 },
  },
  vm_high_cpu: {
    ...{ group: 'compute', object_kind: 'server', ...often },
  },
  vm_high_memory: {
    ...{ group: 'compute', object_kind: 'server', ...often },
  },
  vm_stuck: {
    ...{ group: 'compute', object_kind: 'server', ...stuck },
  },
  volume_error: {
    ...{ group: 'storage', object_kind: 'volume', severity: 'error', ...state, duration_seconds: 0 },
  },
  volume_stuck: {
    ...{ group: 'storage', object_kind: 'volume', ...stuck },
  },
  vpn_down: {
    ...{ group: 'network', object_kind: 'ipsec_site_connection', severity: 'warning' },
    ...{ ...state, duration_seconds: minutes(5) },
  },
}

/** Message and advice for the alerts. The console translates them. */
const wordsOf = (type: AlertType): Pick<AlertRule, 'message' | 'advice'> => ({
  message: englishOf({ key: `monitoring.alert_${type}`, values: {} }),
  advice: englishOf({ key: `monitoring.alert_advice_${type}`, values: {} }),
})

/** Creates missing rules and updates the texts of existing ones. Keeps all settings made by operators. */
export const seedAlertRules = (inventory: Pick<Inventory, 'transaction'>): Promise<void> =>
  inventory.transaction(async (records) => {
    await records.exclusive('alert rules')
    const now = new Date().toISOString()
    for (const [id, builtIn] of Object.entries(builtInRules)) {
      const kept = await records.lock<AlertRule & { [field: string]: unknown }>('alert_rule', id)
      const { group, object_kind, unit } = builtIn
      const words = wordsOf(id as AlertType)
      const fresh = {
        ...{
          id,
          type: id,
          ...builtIn,
          ...words,
          enabled: true,
          suspended: false,
          suspended_until: null,
          state: 'waiting',
        },
        ...{ created_at: now, updated_at: now },
      }
      await records.put('alert_rule', kept ? { ...kept, group, object_kind, unit, ...words } : fresh)
    }
  })

/** Title for alerts raised by one rule, such as "old-erp failed" or "4 virtual machines failed". */
export const alertTitle = (type: AlertType, names: readonly string[]): string =>
  englishOf({ key: `monitoring.alert_title_${type}`, values: { count: names.length, name: names[0] ?? '' } })
