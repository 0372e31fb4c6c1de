import { englishOf } from '@mainstay/contract/core/english'
import type { GivenValues, MessageKey } from '@mainstay/contract/core/said'
import type { Impact, ImpactKind, ImpactResult, ImpactRow, Sentence } from '@mainstay/contract/infrastructure/impact'
import { locationDomains } from '@mainstay/contract/infrastructure/location-rules'
import type { Location } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'

/** Running virtual machines on a host. Memory in bytes. */
export interface HostMachines {
  running: number
  /** Number of virtual machines that would restart on another host, if their engine supports this. */
  restartable: number
  restartable_memory: number
}

/** Number of volumes on this host by the age of their last recovery point. Each number includes the previous ones. */
export interface VolumePoints {
  never: number
  week: number
  day: number
  total: number
}

/** Facts from which the impact of failures is computed. */
export interface ImpactFacts {
  nodes: readonly Pick<Node, 'id' | 'host' | 'is_primary' | 'is_online' | 'ram' | 'rackId' | 'rowId' | 'roomId'>[]
  locations: readonly Pick<Location, 'id' | 'name' | 'domain'>[]
  /** Virtual machines by host name. */
  machines: ReadonlyMap<string, HostMachines>
  /** Names of the hosts that run virtual machines and accept new ones. */
  computeHosts: readonly string[]
  /** Whether the engine restarts virtual machines of a failed host on other hosts. */
  restarts: boolean
  /** Volumes that only this host stores; null if a cloud stores them. */
  volumes: VolumePoints | null
  storageEngine: string | null
  /** Whether recovery points are on the same disk as the volumes. */
  pointsOnSameDisk: boolean
  /** Whether the database is in the data folder of this host. */
  databaseIsHere: boolean
  managementBackup: { ready: boolean; overdue: boolean; onSameDisk: boolean; last: string | null }
  /** Where object storage is served. */
  objects: 'here' | 'elsewhere' | 'none'
  now: Date
}

const sentence = <Key extends MessageKey>(key: Key, ...[values = {}]: GivenValues<Key>): Sentence => {
  const said = { key, values: values as Record<string, string | number> }
  return { message: englishOf(said), said }
}
const effect = <Key extends MessageKey>(result: ImpactResult, key: Key, ...values: GivenValues<Key>): Impact => ({
  result,
  ...sentence(key, ...values),
})

type Failing = Pick<ImpactFacts['nodes'][number], 'id' | 'host' | 'is_primary' | 'ram'>
type Effects = Pick<ImpactRow, 'data' | 'machines' | 'management' | 'exports'>

const managementStays = () => effect('stays', 'infrastructure.impact_management_stays')
const machinesContinue = () => effect('stays', 'infrastructure.impact_machines_continue')

/** Impact on the data if hosts fail but their disks keep working. */
function dataWithout({ volumes, storageEngine }: ImpactFacts, isPrimary: boolean): Impact {
  if (volumes && isPrimary && volumes.total > 0)
    return effect('interrupted', 'infrastructure.impact_data_unreachable', { count: volumes.total })
  if (volumes || storageEngine === null) return effect('stays', 'infrastructure.impact_data_elsewhere')
  return effect('unknown', 'infrastructure.impact_data_cloud', { engine: storageEngine })
}

/**
 * Impact on virtual machines if these hosts fail. Virtual machines restart on the other hosts if the memory of those
 * hosts is known and sufficient for all of them, and if their disks are not on the failed hosts.
 */
function machinesWithout(facts: ImpactFacts, failing: readonly Failing[], isPrimary: boolean): Impact {
  const of = failing.flatMap(({ host }) => facts.machines.get(host) ?? [])
  const count = of.reduce((sum, { running }) => sum + running, 0)
  if (count === 0) return effect('stays', 'infrastructure.impact_machines_none')
  const failed = new Set(failing.map(({ host }) => host))
  const left = new Set(facts.computeHosts.filter((host) => !failed.has(host)))
  if (left.size === 0) return effect('interrupted', 'infrastructure.impact_machines_only_host', { count })
  const restarted = of.reduce((sum, { restartable }) => sum + restartable, 0)
  const needed = of.reduce((sum, { restartable_memory: memory }) => sum + memory, 0)
  const free = facts.nodes.reduce((sum, { host, ram }) => sum + (left.has(host) ? (ram?.available ?? 0) : 0), 0)
  const hasDisks = !(facts.volumes && isPrimary)
  if (!facts.restarts || !hasDisks || restarted === 0 || needed > free)
    return effect('interrupted', 'infrastructure.impact_machines_stop', { count })
  if (restarted < count)
    return effect('interrupted', 'infrastructure.impact_machines_some_restart', { restarted, count })
  return effect('interrupted', 'infrastructure.impact_machines_restart', { count })
}

function exportsWithout({ objects }: ImpactFacts, isPrimary: boolean): Impact {
  if (objects === 'none') return effect('stays', 'infrastructure.impact_exports_none')
  if (objects === 'here' && isPrimary) return effect('interrupted', 'infrastructure.impact_exports_stop')
  return effect('stays', 'infrastructure.impact_exports_elsewhere')
}

/** Returns the impact if these hosts fail at the same time. */
function withoutHosts(facts: ImpactFacts, failing: readonly Failing[]): Effects {
  const isPrimary = failing.some((node) => node.is_primary)
  return {
    data: dataWithout(facts, isPrimary),
    machines: machinesWithout(facts, failing, isPrimary),
    management: isPrimary ? effect('interrupted', 'infrastructure.impact_management_stops') : managementStays(),
    exports: exportsWithout(facts, isPrimary),
  }
}

function helpForHosts(facts: ImpactFacts, failing: readonly Failing[]): Sentence[] {
  const hosts = new Set(failing.map(({ host }) => host))
  const isElsewhere = facts.computeHosts.some((host) => !hosts.has(host))
  if (!facts.restarts || !isElsewhere || facts.volumes) return []
  const count = [...hosts].reduce((sum, host) => {
    const { running = 0, restartable = 0 } = facts.machines.get(host) ?? {}
    return sum + running - restartable
  }, 0)
  return count > 0 ? [sentence('infrastructure.impact_help_restart', { count })] : []
}

const HOUR_MS = 3600_000

/** Impact on the management if the disk with the database is lost. */
function managementWithoutDisk({ databaseIsHere, managementBackup, now }: ImpactFacts): Impact {
  if (!databaseIsHere) return effect('interrupted', 'infrastructure.impact_management_stops')
  const { last, onSameDisk } = managementBackup
  if (last === null || onSameDisk) return effect('lost', 'infrastructure.impact_management_lost')
  const hours = Math.max(0, Math.round((now.getTime() - Date.parse(last)) / HOUR_MS))
  return effect('lost', 'infrastructure.impact_management_backup', { hours })
}

function dataWithoutDisk({ never, week, day, total }: VolumePoints, pointsOnSameDisk: boolean): Impact {
  if (total === 0) return effect('stays', 'infrastructure.impact_data_elsewhere')
  if (pointsOnSameDisk) return effect('lost', 'infrastructure.impact_data_lost_with_points', { count: total })
  if (never > 0) return effect('lost', 'infrastructure.impact_data_lost', { never, week, day, count: total })
  return effect('lost', 'infrastructure.impact_data_restorable', { week, day, count: total })
}

function helpForDisk({ volumes, pointsOnSameDisk, databaseIsHere, managementBackup }: ImpactFacts): Sentence[] {
  const { ready, overdue, onSameDisk, last } = managementBackup
  const help: Sentence[] = []
  if (volumes && volumes.total > 0 && pointsOnSameDisk) help.push(sentence('infrastructure.impact_help_target'))
  if (volumes && volumes.day > 0) help.push(sentence('infrastructure.impact_help_points', { count: volumes.day }))
  if (!databaseIsHere) return help
  if (!ready) help.push(sentence('infrastructure.impact_help_backup'))
  else if (onSameDisk) help.push(sentence('infrastructure.impact_help_backup_place'))
  else if (overdue || last === null) help.push(sentence('infrastructure.impact_help_backup_old'))
  return help
}

/** Returns the impact if the disk with the data folder of this host fails. */
function diskRow(facts: ImpactFacts, volumes: VolumePoints): ImpactRow {
  const count = facts.nodes
    .filter(({ is_primary }) => is_primary)
    .reduce((sum, { host }) => sum + (facts.machines.get(host)?.running ?? 0), 0)
  return {
    ...{ kind: 'tier', id: '0', name: '0' },
    data: dataWithoutDisk(volumes, facts.pointsOnSameDisk),
    machines:
      count > 0
        ? effect('lost', 'infrastructure.impact_machines_disk', { count })
        : effect('stays', 'infrastructure.impact_machines_none'),
    management: managementWithoutDisk(facts),
    exports:
      facts.objects === 'here' ? effect('lost', 'infrastructure.impact_exports_disk') : exportsWithout(facts, false),
    help: helpForDisk(facts),
  }
}

/** Returns the impact if the database does not respond. */
const databaseRow = (facts: ImpactFacts): ImpactRow => ({
  ...{ kind: 'database', id: 'database', name: 'database' },
  data: effect('stays', 'infrastructure.impact_data_stays'),
  machines: machinesContinue(),
  management: effect('interrupted', 'infrastructure.impact_management_stops'),
  exports: exportsWithout(facts, true),
  help: helpForDisk(facts).filter(({ said }) => said.key.startsWith('infrastructure.impact_help_backup')),
})

const placeOf = { rack: 'rackId', row: 'rowId', room: 'roomId' } as const

/** Returns the impact of each possible failure, or only of the requested ones. */
export function impactOf(
  facts: ImpactFacts,
  asked: { kind?: ImpactKind | undefined; id?: string | undefined } = {},
): ImpactRow[] {
  const isAsked = (kind: ImpactKind, id: string): boolean =>
    (asked.kind === undefined || asked.kind === kind) && (asked.id === undefined || asked.id === id)
  const rowOf = (kind: ImpactKind, { id, name }: { id: string; name: string }, failing: readonly Failing[]) =>
    isAsked(kind, id) ? [{ kind, id, name, ...withoutHosts(facts, failing), help: helpForHosts(facts, failing) }] : []
  const places = locationDomains.toReversed().flatMap((domain) =>
    facts.locations
      .filter((place) => place.domain === domain)
      .flatMap((place) =>
        rowOf(
          domain,
          place,
          facts.nodes.filter((node) => node[placeOf[domain]] === place.id),
        ),
      ),
  )
  return [
    ...(facts.volumes && isAsked('tier', '0') ? [diskRow(facts, facts.volumes)] : []),
    ...facts.nodes.flatMap((node) => rowOf('node', { id: node.id, name: node.host }, [node])),
    ...places,
    ...(isAsked('database', 'database') ? [databaseRow(facts)] : []),
  ]
}
