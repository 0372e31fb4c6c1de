import { computeNodeKind, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { backupPlanKind, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { instanceInProgress, instanceStatuses } from '@mainstay/contract/compute/instance-statuses'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { Kind } from '@mainstay/contract/core/kind'
import { taskIsOver, taskKind, TaskState, type Task } from '@mainstay/contract/core/tasks'
import { diskKind, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { loadBalancerKind, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { alertRuleKind, type AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import { volumeInProgress, volumeIsErrored, volumeStatuses } from '@mainstay/contract/storage/volume-rules'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Entity } from '@mainstay/engines/ports/records'
import { serverScope } from '../../../tasks/server-scope'
import { found, HYSTERESIS, idOf, MOST, nobody, rowsOf, type AlertTools, type Condition } from './found'

type Owned = Entity & { name: string; project_id: string | null; domain_id: string | null }

/** Describes rows of a kind that are in a certain state. */
interface InState<Row> {
  kind: Kind
  /** Queries that together list all such rows, if possible those that have been in the state longest first. */
  queries: readonly Record<string, string>[]
  isIn: (row: Row) => boolean
  /** When the row entered the state (RFC 3339), or null if the row does not say. */
  since: (row: Row) => string | null
  details: (row: Row) => string | null
}

/** Returns the rows that are in the state, from one page of each query and from all watched rows. */
async function rowsInState<Row extends Owned>(
  tools: Pick<AlertTools, 'inventory'>,
  { kind, queries, isIn }: Pick<InState<Row>, 'kind' | 'queries' | 'isIn'>,
  watched: readonly string[],
): Promise<Row[]> {
  const pages = await Promise.all(
    queries.map((query) => tools.inventory.list<Row>(kind, serverScope, { limit: MOST, ...query })),
  )
  const rows = [...pages.flatMap(({ data }) => data), ...(await rowsOf<Row>(tools, kind, watched.map(idOf)))]
  return [...new Map(rows.map((row) => [row.id, row])).values()].filter(isIn)
}

const timeOf = (text: string | null): { since?: number } => {
  const since = Date.parse(text ?? '')
  return Number.isFinite(since) && since > 0 ? { since } : {}
}

const asFound = <Row extends Owned>({ kind, since, details }: InState<Row>, row: Row) => {
  const { id, name, project_id, domain_id } = row
  const object = { kind: kind.name, id, name, part: null }
  return found(object, { project_id, domain_id, details: details(row), ...timeOf(since(row)) })
}

const inState =
  <Row extends Owned>(state: InState<Row>): Condition =>
  async (tools, _, watched) => ({
    found: (await rowsInState(tools, state, watched)).map((row) => asFound(state, row)),
    unknown: nobody,
  })

const unfinished = TaskState.options.filter((state) => !taskIsOver(state))
const among = (values: readonly string[]) => `in:${values.join(',')}`

/**
 * Condition for rows in a transitional state. The time without progress starts at the last change to the row or to a
 * task that concerns it.
 */
const onTheWay =
  <Row extends Owned>(state: InState<Row>): Condition =>
  async (tools, _, watched) => {
    const rows = await rowsInState(tools, state, watched)
    const progress = new Map<string, number>()
    for (let at = 0; at < rows.length; at += 100) {
      const subjects = among(rows.slice(at, at + 100).map(({ id }) => id))
      const query = { limit: MOST, subject_id: subjects, state: among(unfinished) }
      for (const task of (await tools.inventory.list<Task>(taskKind, serverScope, query)).data) {
        const { id } = task.args[0] as { id: string }
        progress.set(id, Math.max(progress.get(id) ?? 0, Date.parse(task.updated_at)))
      }
    }
    return {
      found: rows.map((row) => {
        const one = asFound(state, row)
        const moved = progress.get(row.id)
        return moved === undefined || one.since === undefined ? one : { ...one, since: Math.max(one.since, moved) }
      }),
      unknown: nobody,
    }
  }

export const machinesInError = inState<Instance>({
  kind: instanceKind,
  queries: [{ status: 'ERROR' }],
  isIn: ({ status }) => status === 'ERROR',
  since: ({ fault, updated }) => fault?.created ?? updated,
  details: ({ fault }) => fault?.message ?? null,
})

export const volumesInError = inState<Volume>({
  kind: volumeKind,
  queries: [{ status: among(volumeStatuses.filter((status) => volumeIsErrored({ status }))) }],
  isIn: volumeIsErrored,
  since: ({ updated_at }) => updated_at,
  details: ({ fault }) => fault,
})

const whyRunFailed = (run: BackupPlan['last_run']): string | null => run?.error ?? run?.failures[0]?.reason ?? null

export const backupsFailed = inState<BackupPlan>({
  kind: backupPlanKind,
  queries: [{ status: 'Error' }],
  isIn: ({ status }) => status === 'Error',
  since: ({ last_run, last_test, updated_at }) =>
    (whyRunFailed(last_run) === null ? last_test?.at : last_run?.ended_at) ?? updated_at,
  details: ({ last_run, last_test }) => whyRunFailed(last_run) ?? last_test?.reason ?? null,
})

const balancerFaults: readonly string[] = ['ERROR', 'DEPLOYMENT_FAILED'] satisfies LoadBalancer['status'][]
export const balancersInError = inState<LoadBalancer>({
  kind: loadBalancerKind,
  queries: [{ status: among(balancerFaults) }],
  isIn: ({ status }) => balancerFaults.includes(status),
  since: ({ updated_at }) => updated_at,
  details: ({ fault }) => fault ?? null,
})

const tunnelFaults: readonly string[] = ['DOWN', 'ERROR'] satisfies IpsecSiteConnection['status'][]
export const tunnelsDown = inState<IpsecSiteConnection>({
  kind: connectionKind,
  queries: [{ status: among(tunnelFaults) }],
  isIn: ({ status }) => tunnelFaults.includes(status),
  since: ({ status_changed_at }) => status_changed_at,
  details: ({ reason }) => reason,
})

/** States that wait for the user to act. */
const waiting: readonly string[] = ['VERIFY_RESIZE', 'VERIFY_LIVE_RESIZE', 'maintenance', 'awaiting-transfer']
const busyMachines = instanceStatuses.filter((status) => instanceInProgress({ status, task_state: null }))
const isWaiting = (row: { status: string; task_state?: string | null }) =>
  waiting.includes(row.status) && (row.task_state ?? null) === null
const oldest = { sort: 'updated_at:asc' }

export const machinesStuck = onTheWay<Instance>({
  kind: instanceKind,
  queries: [
    { ...oldest, status: among(busyMachines.filter((status) => !waiting.includes(status))) },
    { ...oldest, task_state: 'not:None' },
  ],
  isIn: (row) => instanceInProgress(row) && !isWaiting(row),
  since: ({ updated }) => updated,
  details: ({ status, task_state }) => `Its status is ${status}${task_state === null ? '' : ` (${task_state})`}.`,
})

export const volumesStuck = onTheWay<Volume>({
  kind: volumeKind,
  queries: [
    {
      ...oldest,
      status: among(volumeStatuses.filter((status) => volumeInProgress({ status }) && !waiting.includes(status))),
    },
  ],
  isIn: (row) => volumeInProgress(row) && !isWaiting(row),
  since: ({ updated_at }) => updated_at,
  details: ({ status }) => `Its status is ${status}.`,
})

/** Kinds with their own rule for stuck objects. Their tasks must not raise a second alert. */
const toldThemselves: readonly string[] = [instanceKind.name, volumeKind.name]

export const tasksStuck: Condition = async ({ inventory }) => {
  const query = { limit: MOST, state: among(unfinished.filter((state) => state !== 'paused')), sort: 'created_at:asc' }
  const { data } = await inventory.list<Task>(taskKind, serverScope, query)
  return {
    found: data.flatMap((task) => {
      const { kind, name } = (task.args[0] ?? {}) as { kind?: string; name?: string }
      if (kind !== undefined && toldThemselves.includes(kind)) return []
      const { id, project_id, domain_id, progress, updated_at } = task
      const details = `${task.name} is at ${Math.floor(progress)} %.`
      const object = { kind: taskKind.name, id, name: name ?? task.name, part: null }
      return [found(object, { project_id, domain_id, details, ...timeOf(updated_at) })]
    }),
    unknown: nobody,
  }
}

/**
 * Finds nodes that are offline, nodes whose compute service does not respond, and hosts of instances whose status is
 * UNKNOWN because the host is down. Ignores nodes in maintenance or during a reinstallation, because they may be
 * turned off.
 */
export const nodesDown: Condition = async (tools) => {
  const { inventory } = tools
  const [offline, silent, lost] = await Promise.all([
    inventory.list<Node>(nodeKind, serverScope, { limit: MOST, status: 'offline' }),
    inventory.list<ComputeNode>(computeNodeKind, serverScope, { limit: MOST, state: 'down' }),
    inventory.list<Instance>(instanceKind, serverScope, { limit: MOST, status: 'UNKNOWN' }),
  ])
  // a node has the same ID as its compute node
  const nodes = [...offline.data, ...(await rowsOf<Node>(tools, nodeKind, silent.data.map(idOfRow)))]
  const machines = new Map<string, Instance[]>()
  for (const machine of lost.data) {
    const { host, host_status } = machine
    if (host && host_status === 'DOWN') machines.set(host, [...(machines.get(host) ?? []), machine])
  }
  const isServiced = ({ maintenance, activity }: Node) =>
    maintenance?.state === 'suspended' || activity === 'installing'
  const problems = new Map(nodes.map(({ host, link }) => [host, link.problem]))
  const isOffline = new Set(offline.data.map(({ host }) => host))
  for (const { host } of silent.data)
    if (!isOffline.has(host)) problems.set(host, 'Its compute service does not respond.')
  const hosts = new Set([...problems.keys(), ...machines.keys()])
  for (const { host } of nodes.filter(isServiced)) hosts.delete(host)
  return {
    found: [...hosts].map((host) => {
      const unknown = machines.get(host) ?? []
      const told = unknown.length === 0 ? null : `The state of ${unknown.length} of its virtual machines is unknown.`
      const details = [problems.get(host), told].filter((text) => text != null).join(' ') || null
      const [first = null] = unknown.map(({ updated }) => updated).toSorted()
      return found({ kind: 'node', id: host, name: host, part: null }, { details, ...timeOf(first) })
    }),
    unknown: nobody,
  }
}

const idOfRow = ({ id }: Entity): string => id

/** Returns the watched keys that belong to parts of offline nodes, whose state cannot be read. */
async function unreadable(
  { inventory }: Pick<AlertTools, 'inventory'>,
  watched: readonly string[],
): Promise<ReadonlySet<string>> {
  if (watched.length === 0) return nobody
  const { data } = await inventory.list<Node>(nodeKind, serverScope, { limit: MOST, is_online: 'false' })
  const hosts = new Set(data.map(({ host }) => host))
  return new Set(watched.filter((key) => hosts.has(idOf(key))))
}

const nodesOnline = async ({ inventory }: Pick<AlertTools, 'inventory'>): Promise<Node[]> =>
  (await inventory.list<Node>(nodeKind, serverScope, { limit: MOST, is_online: 'true' })).data

/** Finds nodes whose clock is not synchronized, or differs from that of the server by more than the threshold. */
export const nodeClocksWrong: Condition = async (tools, { threshold }, watched) => ({
  found: (await nodesOnline(tools)).flatMap(({ host, clock_offset_ms, clock_synchronized }) => {
    const seconds = Math.abs(clock_offset_ms ?? 0) / 1000
    if (clock_synchronized !== false && seconds < threshold!) return []
    const details = clock_synchronized === false ? 'Its clock is not synchronized.' : null
    return [found({ kind: 'node', id: host, name: host, part: null }, { value: Math.round(seconds), details })]
  }),
  unknown: await unreadable(tools, watched),
})

/** Finds disks whose SMART status reports a failure. */
export const disksFailed: Condition = async (tools, _, watched) => {
  const { data } = await tools.inventory.list<Disk>(diskKind, serverScope, { limit: MOST, disk_status: 'failed' })
  const nodes = new Map(
    (
      await rowsOf<Node>(
        tools,
        nodeKind,
        data.map(({ node_id }) => node_id),
      )
    ).map(({ id, host }) => [id, host]),
  )
  return {
    found: data.map(({ node_id, device, model, serial_number }) => {
      const host = nodes.get(node_id) ?? node_id
      const details = [model, serial_number].filter((text) => text !== null).join(', ') || null
      return found({ kind: 'node', id: host, name: host, part: device }, { details })
    }),
    unknown: await unreadable(tools, watched),
  }
}

/** Formats a size, for example `768 GiB` or `600 MiB`. */
function sizeText(bytes: number): string {
  const [size, word] = bytes >= GiB ? [GiB, 'GiB'] : [MiB, 'MiB']
  return `${Number((bytes / size).toFixed(1))} ${word}`
}

/** Used percentage of the engine's storage, as shown on the operators' overview. */
async function storageShare(tools: AlertTools) {
  if (!tools.areas.storage.engine) return null
  const { used, total } = await tools.ports.storage.stat(serverScope)
  // unlimited storage is never full
  if (total <= 0) return null
  const details = `${sizeText(used)} of ${sizeText(total)} used, ${sizeText(Math.max(0, total - used))} free.`
  return { value: (100 * used) / total, details }
}

const storageFound = ({ value, details }: { value: number; details: string }, isOver: boolean) =>
  found({ kind: 'storage', id: 'storage', name: 'storage', part: null }, { value, details, isOver })

export const storageFull: Condition = async (tools, { threshold }) => {
  const share = await storageShare(tools)
  const isNear = share !== null && share.value >= threshold! - HYSTERESIS
  return { found: isNear ? [storageFound(share, share.value >= threshold!)] : [], unknown: nobody }
}

/** Full storage has its own rule, so this condition does not hold for it. */
export const storageNearlyFull: Condition = async (tools, rule) => {
  const full = await tools.inventory.view<AlertRule>(alertRuleKind, serverScope, 'storage_full')
  const share = await storageShare(tools)
  if (share !== null && full.enabled && share.value >= full.threshold!) return { found: [], unknown: nobody }
  const isNear = share !== null && share.value >= rule.threshold! - HYSTERESIS
  return { found: isNear ? [storageFound(share, share.value >= rule.threshold!)] : [], unknown: nobody }
}
