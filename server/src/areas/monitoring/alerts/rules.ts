import type { AlertRule, AlertType } from '@mainstay/contract/monitoring/alert-rules'
import type { Inventory } from '../../../inventory/types'

type BuiltIn = Pick<
  AlertRule,
  'group' | 'object_kind' | 'severity' | 'threshold' | 'unit' | 'duration_seconds' | 'message' | 'advice'
>

const minutes = (count: number) => count * 60
const often = { threshold: 90, unit: 'percent', duration_seconds: minutes(15), severity: 'warning' } as const
const state = { threshold: null, unit: null } as const

/** The rules as they are at first. Operators change severity, threshold and duration, and turn them off. */
export const builtInRules: Record<AlertType, BuiltIn> = {
  balancer_certificate_expires: {
    ...{ group: 'network', object_kind: 'load_balancer', severity: 'warning' },
    ...{ threshold: 30, unit: 'days', duration_seconds: 0 },
    message: 'A certificate of a load balancer ends soon',
    advice: 'Get a new certificate, and upload it with its key in the pool of the load balancer.',
  },
  certificate_expires: {
    ...{ group: 'platform', object_kind: 'certificate', severity: 'warning' },
    ...{ threshold: 30, unit: 'days', duration_seconds: 0 },
    message: 'The certificate of the server ends soon',
    advice: 'Upload a new certificate in the settings.',
  },
  figures_down: {
    ...{ group: 'platform', object_kind: 'part', severity: 'error', ...state, duration_seconds: minutes(3) },
    message: 'The metrics store does not respond',
    advice: 'Check the metrics store. Until it responds, alerts on load and quotas are neither raised nor closed.',
  },
  node_high_cpu: {
    ...{ group: 'node', object_kind: 'node', ...often },
    message: 'The CPU of a host is busy',
    advice: 'Stop or move virtual machines, or add a host.',
  },
  node_high_memory: {
    ...{ group: 'node', object_kind: 'node', ...often },
    message: 'The memory of a host is nearly used up',
    advice: 'Stop or move virtual machines, or add memory.',
  },
  node_low_space: {
    ...{ group: 'node', object_kind: 'node', ...often, severity: 'error', duration_seconds: minutes(5) },
    message: 'The disk of a host is nearly full',
    advice: 'Delete images, snapshots and volumes that you do not need, or add disk space.',
  },
  part_down: {
    ...{ group: 'platform', object_kind: 'part', severity: 'critical', ...state, duration_seconds: minutes(2) },
    message: 'A part of the platform does not work',
    advice: 'Check it on the Engines page and in the log of the server.',
  },
  quota_near_limit: {
    ...{ group: 'quota', object_kind: 'project', ...often, severity: 'info', duration_seconds: minutes(5) },
    message: 'A quota of a project is nearly used up',
    advice: 'Delete what you do not need, or ask for a larger quota.',
  },
  task_fails_often: {
    ...{ group: 'compute', object_kind: 'task', severity: 'warning' },
    ...{ threshold: 3, unit: 'times', duration_seconds: 0 },
    message: 'The same task fails again and again',
    advice: 'Find the reason in the list of tasks before you try again.',
  },
  vm_error: {
    ...{ group: 'compute', object_kind: 'server', severity: 'error', ...state, duration_seconds: minutes(1) },
    message: 'A virtual machine is in an error state',
    advice: 'Open the virtual machine and read the reason. Then start it again, or create it again from its image.',
  },
  vm_high_cpu: {
    ...{ group: 'compute', object_kind: 'server', ...often },
    message: 'The CPU of a virtual machine is busy',
    advice: 'Check what is running in it, or resize it to a larger flavor.',
  },
  vm_high_memory: {
    ...{ group: 'compute', object_kind: 'server', ...often },
    message: 'The memory of a virtual machine is nearly used up',
    advice: 'Check what is running in it, or resize it to a larger flavor.',
  },
}

/** Makes rows of the rules that have none yet, and renews the words of those that have one. What operators set stays. */
export const seedAlertRules = (inventory: Pick<Inventory, 'transaction'>): Promise<void> =>
  inventory.transaction(async (records) => {
    await records.exclusive('alert rules')
    const now = new Date().toISOString()
    for (const [id, builtIn] of Object.entries(builtInRules)) {
      const kept = await records.lock<AlertRule & { [field: string]: unknown }>('alert_rule', id)
      const { group, object_kind, unit, message, advice } = builtIn
      const fresh = {
        ...{ id, type: id, ...builtIn, enabled: true, suspended: false, suspended_until: null, state: 'waiting' },
        ...{ created_at: now, updated_at: now },
      }
      await records.put('alert_rule', kept ? { ...kept, group, object_kind, unit, message, advice } : fresh)
    }
  })
