import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { firstToExpire, poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { projectKind, type Project } from '@mainstay/contract/identity/projects'
import type { AlertRule, AlertType } from '@mainstay/contract/monitoring/alert-rules'
import { serverScope } from '../../../tasks/server-scope'
import {
  backupSetting,
  backupSubject,
  isOverdue,
} from '../../infrastructure/management-backup/management-backup.service'
import { found, HYSTERESIS, idOf, keyOf, MOST, nobody, rowsOf, type AlertTools, type Condition } from './found'
import {
  backupsFailed,
  balancersInError,
  disksFailed,
  machinesInError,
  machinesStuck,
  nodeClocksWrong,
  nodesDown,
  storageFull,
  storageNearlyFull,
  tasksStuck,
  tunnelsDown,
  volumesInError,
  volumesStuck,
} from './states'

const FAILED_WITHIN_MS = 3600_000
const DAY_MS = 24 * 3600_000

interface Measured {
  key: string
  labels: Record<string, string>
  value: number
}

/**
 * Queries the metrics store for ratios, in percent, that are near or above the threshold, and for ratios of watched
 * objects. `label`: label that contains the object ID; `part`: label that identifies a part of the object.
 */
async function measured(
  { figures }: AlertTools,
  { threshold }: AlertRule,
  asked: { share: (selector: string) => string; label: string; part?: string },
  watched: readonly string[],
): Promise<{ high: Measured[]; seen: ReadonlySet<string> }> {
  const { share, label, part } = asked
  async function ask(query: string): Promise<Measured[]> {
    const { data } = await figures.store.ask('query', { query, labels: {} })
    if (data.resultType !== 'vector') throw new Error('the metrics store returned an unexpected result')
    return data.result.flatMap(({ metric, value }) => {
      const [id, number] = [metric[label], Number(value[1])]
      if (id === undefined || !Number.isFinite(number)) return []
      return [{ key: keyOf(id, part === undefined ? null : (metric[part] ?? '')), labels: metric, value: number }]
    })
  }
  const high = await ask(`topk(${MOST}, 100 * (${share('')}) >= ${(threshold ?? 0) - HYSTERESIS})`)
  const ids = [...new Set(watched.map(idOf))].map((id) => id.replaceAll(/[^\w-]/g, '.'))
  const seen = new Set<string>()
  for (let at = 0; at < ids.length; at += 100) {
    const selector = `${label}=~${JSON.stringify(ids.slice(at, at + 100).join('|'))}`
    for (const { key } of await ask(`100 * (${share(selector)})`)) seen.add(key)
  }
  return { high, seen }
}

const ofMachines =
  (share: (selector: string) => string): Condition =>
  async (tools, rule, watched) => {
    const { high, seen } = await measured(tools, rule, { share, label: 'server_id' }, watched)
    const rows = await rowsOf<Instance>(
      tools,
      instanceKind,
      [...high, ...watched.map((key) => ({ key }))].map((it) => idOf(it.key)),
    )
    const running = new Map(rows.filter(instanceIsRunning).map((row) => [row.id, row]))
    return {
      found: high.flatMap(({ key, value }) => {
        const row = running.get(idOf(key))
        if (!row) return []
        const { id, name, project_id, domain_id } = row
        const isOver = value >= rule.threshold!
        return [found({ kind: 'server', id, name, part: null }, { project_id, domain_id, value, isOver })]
      }),
      // a stopped or deleted instance has no load
      unknown: new Set(watched.filter((key) => !seen.has(key) && running.has(idOf(key)))),
    }
  }

const ofNodes =
  (share: (selector: string) => string): Condition =>
  async (tools, rule, watched) => {
    const { high, seen } = await measured(tools, rule, { share, label: 'node' }, watched)
    return {
      found: high.map(({ labels, value }) => {
        const node = labels['node']!
        return found({ kind: 'node', id: node, name: node, part: null }, { value, isOver: value >= rule.threshold! })
      }),
      unknown: new Set(watched.filter((key) => !seen.has(key))),
    }
  }

const ratio = (used: string, all: string) => (selector: string) => `${used}{${selector}} / (${all}{${selector}} > 0)`

const quotaShare = ratio('mainstay_quota_used', 'mainstay_quota_limit')
const quotas: Condition = async (tools, rule, watched) => {
  const asked = { share: quotaShare, label: 'project_id', part: 'quota' }
  const { high, seen } = await measured(tools, rule, asked, watched)
  const projects = await rowsOf<Project>(
    tools,
    projectKind,
    [...high, ...watched.map((key) => ({ key }))].map((it) => idOf(it.key)),
  )
  const byId = new Map(projects.map((row) => [row.id, row]))
  return {
    found: high.flatMap(({ key, labels, value }) => {
      const project = byId.get(idOf(key))
      if (!project) return []
      const { id, name, domain_id } = project
      const isOver = value >= rule.threshold!
      const object = { kind: 'project', id, name, part: labels['quota'] ?? '' }
      return [found(object, { project_id: id, domain_id, value, isOver })]
    }),
    unknown: new Set(watched.filter((key) => !seen.has(key) && byId.has(idOf(key)))),
  }
}

const tasksThatFail: Condition = async ({ inventory }, { threshold }) => {
  const { data } = await inventory.list<Task>(taskKind, serverScope, {
    ...{ limit: MOST, state: 'failed', sort: 'created_at:desc' },
  })
  const groups = new Map<string, Task[]>()
  for (const task of data) {
    const subject = task.args[0] as { kind?: string; id?: string; name?: string } | undefined
    if (!subject?.id || !subject.kind || Date.now() - Date.parse(task.created_at) > FAILED_WITHIN_MS) continue
    const key = keyOf(subject.id, task.name)
    groups.set(key, [...(groups.get(key) ?? []), task])
  }
  return {
    found: [...groups.values()].flatMap((tasks) => {
      const [{ args, name: part, project_id, domain_id, error: details }] = tasks as [Task]
      if (tasks.length < threshold!) return []
      const { kind, id, name } = args[0] as { kind: string; id: string; name?: string }
      return [found({ kind, id, name: name ?? id, part }, { project_id, domain_id, details, value: tasks.length })]
    }),
    unknown: nobody,
  }
}

const partsDown: Condition = async ({ platformParts }) => ({
  found: (await platformParts.all())
    .filter(({ reachable }) => !reachable)
    .map(({ name, message }) => found({ kind: 'part', id: name, name, part: null }, { details: message })),
  unknown: nobody,
})

const certificateEnds: Condition = async ({ certificate }, { threshold }) => {
  const { certificate: served, source } = certificate.about(null)
  // self-signed certificates are renewed automatically
  const ends = served !== null && source !== 'self-signed' && served.days_left < threshold!
  const object = { kind: 'certificate', id: 'server', name: served?.names.join(', ') ?? '', part: null }
  return { found: ends ? [found(object, { value: served.days_left })] : [], unknown: nobody }
}

/** Load balancer certificates that expire soon. Pools without TLS termination have none. */
const balancerCertificateEnds: Condition = async ({ inventory }, { threshold }) => {
  const { data } = await inventory.list<LoadBalancerPool>(poolKind, serverScope, {
    ...{ limit: MOST, protocol: 'HTTPS', sort: 'certificate_ends:asc' },
  })
  return {
    found: data.flatMap(({ loadbalancer_id: id, loadbalancer_name: name, project_id, domain_id, ...pool }) => {
      const certificate = firstToExpire(pool)
      if (!pool.tls_enabled || !certificate) return []
      const value = Math.floor((Date.parse(certificate.not_after) - Date.now()) / DAY_MS)
      if (value >= threshold!) return []
      const day = certificate.not_after.slice(0, 10)
      const whose = certificate.names.join(', ') || certificate.subject
      const expires = value < 0 ? 'expired' : 'expires'
      const details = `The certificate for ${whose} on port ${pool.protocol_port} ${expires} on ${day}.`
      const object = { kind: 'load_balancer', id, name, part: String(pool.protocol_port) }
      return [found(object, { project_id, domain_id, value, details })]
    }),
    unknown: nobody,
  }
}

const figuresDown: Condition = async ({ figures: { store } }) => {
  // no alert if a metrics store is not installed
  if (store.advice !== null) return { found: [], unknown: nobody }
  const doesAnswer = await store.ask('query', { query: 'vector(1)', labels: {} }).then(
    () => true,
    () => false,
  )
  return {
    found: doesAnswer ? [] : [found({ kind: 'part', id: 'figures', name: 'figures', part: null })],
    unknown: nobody,
  }
}

const managementBackupOverdue: Condition = async ({ settings }) => {
  const kept = await settings.read(backupSetting)
  const isOld = kept !== null && isOverdue(kept.value, new Date())
  const object = { ...backupSubject, part: null }
  return { found: isOld ? [found(object, { details: kept.value.runs[0]?.error ?? null })] : [], unknown: nobody }
}

/** Conditions of all alert types. */
export const conditions: Record<AlertType, Condition> = {
  backup_failed: backupsFailed,
  balancer_certificate_expires: balancerCertificateEnds,
  balancer_error: balancersInError,
  certificate_expires: certificateEnds,
  figures_down: figuresDown,
  management_backup_overdue: managementBackupOverdue,
  node_clock_wrong: nodeClocksWrong,
  node_disk_failed: disksFailed,
  node_down: nodesDown,
  node_high_cpu: ofNodes((selector) => `mainstay_node_cpu_usage_ratio{${selector}}`),
  node_high_memory: ofNodes(ratio('mainstay_node_mem_used_bytes', 'mainstay_node_mem_bytes')),
  node_low_space: ofNodes(ratio('mainstay_node_disk_used_bytes', 'mainstay_node_disk_bytes')),
  part_down: partsDown,
  quota_near_limit: quotas,
  storage_full: storageFull,
  storage_nearly_full: storageNearlyFull,
  task_fails_often: tasksThatFail,
  task_stuck: tasksStuck,
  vm_error: machinesInError,
  vm_high_cpu: ofMachines((selector) => `mainstay_vm_cpu_usage_ratio{${selector}}`),
  vm_high_memory: ofMachines(ratio('mainstay_vm_mem_usage_bytes', 'mainstay_vm_mem_bytes')),
  vm_stuck: machinesStuck,
  volume_error: volumesInError,
  volume_stuck: volumesStuck,
  vpn_down: tunnelsDown,
}
