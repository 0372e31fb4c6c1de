import type { AlertRule, AlertType } from '@mainstay/contract/monitoring/alert-rules'
import type { Inventory } from '../../../inventory/types'

type BuiltIn = Pick<
  AlertRule,
  'group' | 'object_kind' | 'severity' | 'threshold' | 'unit' | 'duration_seconds' | 'message' | 'advice'
>

const minutes = (count: number) => count * 60
const often = { threshold: 90, unit: 'percent', duration_seconds: minutes(15), severity: 'warning' } as const
const state = { threshold: null, unit: null } as const
/** Work that makes no progress for so long is stuck. It is the duration of the rules, so operators can change it. */
const stuck = { ...state, severity: 'warning', duration_seconds: minutes(30) } as const
const stuckAdvice = 'Read its tasks and the log of the server. Then try again, or reset its state.'

/** The rules as they are at first. Operators change severity, threshold and duration, and turn them off. */
export const builtInRules: Record<AlertType, BuiltIn> = {
  balancer_certificate_expires: {
    ...{ group: 'network', object_kind: 'load_balancer', severity: 'warning' },
    ...{ threshold: 30, unit: 'days', duration_seconds: 0 },
    message: 'A certificate of a load balancer ends soon',
    advice: 'Get a new certificate, and upload it with its key in the pool of the load balancer.',
  },
  balancer_error: {
    ...{ group: 'network', object_kind: 'load_balancer', severity: 'error', ...state, duration_seconds: minutes(1) },
    message: 'A load balancer has failed',
    advice: 'Open the load balancer and read the reason. Then rebuild it.',
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
  node_down: {
    ...{ group: 'node', object_kind: 'node', severity: 'critical', ...state, duration_seconds: minutes(2) },
    message: 'A host does not respond',
    advice: 'Check its power, its network and its compute service.',
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
  storage_full: {
    ...{ group: 'storage', object_kind: 'storage', severity: 'critical' },
    ...{ threshold: 95, unit: 'percent', duration_seconds: 0 },
    message: 'The storage is full',
    advice: 'Delete volumes that you do not need, empty the recycle bin, or add disk space.',
  },
  storage_nearly_full: {
    ...{ group: 'storage', object_kind: 'storage', severity: 'warning' },
    ...{ threshold: 85, unit: 'percent', duration_seconds: 0 },
    message: 'The storage is nearly full',
    advice: 'Delete volumes that you do not need, empty the recycle bin, or add disk space.',
  },
  task_fails_often: {
    ...{ group: 'compute', object_kind: 'task', severity: 'warning' },
    ...{ threshold: 3, unit: 'times', duration_seconds: 0 },
    message: 'The same task fails again and again',
    advice: 'Find the reason in the list of tasks before you try again.',
  },
  task_stuck: {
    ...{ group: 'platform', object_kind: 'task', ...stuck },
    message: 'A task makes no progress',
    advice: 'Open the task. Cancel it if you can, and read the log of the server.',
  },
  vm_error: {
    ...{ group: 'compute', object_kind: 'server', severity: 'error', ...state, duration_seconds: 0 },
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
  vm_stuck: {
    ...{ group: 'compute', object_kind: 'server', ...stuck },
    message: 'A virtual machine is stuck',
    advice: stuckAdvice,
  },
  volume_error: {
    ...{ group: 'storage', object_kind: 'volume', severity: 'error', ...state, duration_seconds: 0 },
    message: 'A volume is in an error state',
    advice: 'Open the volume and read the reason. Then reset its state, or delete it.',
  },
  volume_stuck: {
    ...{ group: 'storage', object_kind: 'volume', ...stuck },
    message: 'A volume is stuck',
    advice: stuckAdvice,
  },
  vpn_down: {
    ...{ group: 'network', object_kind: 'ipsec_site_connection', severity: 'warning' },
    ...{ ...state, duration_seconds: minutes(5) },
    message: 'A VPN connection is down',
    advice: 'Open the connection and read the reason. Compare the settings of both sides.',
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

/** What alerts of one rule are about, in a line: of one object, and of several. */
const titles: Record<AlertType, readonly [one: string, many: string]> = {
  balancer_certificate_expires: [
    'A certificate of load balancer {name} expires soon',
    'Certificates of {count} load balancers expire soon',
  ],
  balancer_error: ['Load balancer {name} failed', '{count} load balancers failed'],
  certificate_expires: ['The certificate of the server expires soon', '{count} certificates expire soon'],
  figures_down: ['The metrics store does not respond', '{count} metrics stores do not respond'],
  node_down: ['Host {name} does not respond', '{count} hosts do not respond'],
  node_high_cpu: ['The CPU of host {name} is busy', 'The CPUs of {count} hosts are busy'],
  node_high_memory: ['The memory of host {name} is nearly used up', 'The memory of {count} hosts is nearly used up'],
  node_low_space: ['The disk of host {name} is nearly full', 'The disks of {count} hosts are nearly full'],
  part_down: ['The platform part {name} does not work', '{count} parts of the platform do not work'],
  quota_near_limit: ['A quota of project {name} is nearly used up', '{count} quotas are nearly used up'],
  storage_full: ['The storage is full', '{count} storages are full'],
  storage_nearly_full: ['The storage is nearly full', '{count} storages are nearly full'],
  task_fails_often: ['The same task on {name} fails again and again', '{count} tasks fail again and again'],
  task_stuck: ['A task on {name} makes no progress', '{count} tasks make no progress'],
  vm_error: ['{name} failed', '{count} virtual machines failed'],
  vm_high_cpu: ['The CPU of {name} is busy', 'The CPUs of {count} virtual machines are busy'],
  vm_high_memory: [
    'The memory of {name} is nearly used up',
    'The memory of {count} virtual machines is nearly used up',
  ],
  vm_stuck: ['{name} is stuck', '{count} virtual machines are stuck'],
  volume_error: ['Volume {name} failed', '{count} volumes failed'],
  volume_stuck: ['Volume {name} is stuck', '{count} volumes are stuck'],
  vpn_down: ['VPN connection {name} is down', '{count} VPN connections are down'],
}

/** "old-erp failed", "4 virtual machines failed": what alerts of one rule are about. */
export function alertTitle(type: AlertType, names: readonly string[]): string {
  const [one, many] = titles[type]
  return names.length === 1 ? one.replace('{name}', () => names[0]!) : many.replace('{count}', String(names.length))
}
