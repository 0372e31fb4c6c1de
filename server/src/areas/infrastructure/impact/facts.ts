import { computeNodeKind } from '@mainstay/contract/compute/nodes'
import { instanceIsRunning, instanceStatuses } from '@mainstay/contract/compute/instance-rules'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { volumeBackupKind } from '@mainstay/contract/storage/volume-backups'
import { volumeKind } from '@mainstay/contract/storage/volumes'
import { isServedHere } from '../../../engines/served-here'
import type { Tools } from '../../../tools'
import { treeOf } from '../locations/locations.service'
import { viewBackup } from '../management-backup/management-backup.routes'
import type { HostMachines, ImpactFacts, VolumePoints } from './impact'

const running = instanceStatuses.filter((status) => instanceIsRunning({ status }))

async function machinesByHost({ sql }: Tools): Promise<ReadonlyMap<string, HostMachines>> {
  const rows = await sql.query<HostMachines & { host: string }>(
    `select body ->> 'host' as host, count(*)::int as running,
       (count(*) filter (where (body ->> 'ha_enabled')::boolean))::int as restartable,
       coalesce(sum((body #>> '{flavor,ram}')::bigint) filter (where (body ->> 'ha_enabled')::boolean), 0)::float8
         * 1048576 as restartable_memory
     from resource where kind = $1 and status = any ($2::text[]) and body ->> 'host' is not null group by 1`,
    [instanceKind.name, running],
  )
  return new Map(rows.map(({ host, ...counts }) => [host, counts]))
}

/** Names of the hosts that run virtual machines and accept new ones. */
async function computeHosts({ sql }: Tools): Promise<string[]> {
  const rows = await sql.query<{ host: string }>(
    `select body ->> 'host' as host from resource
     where kind = $1 and status = 'up' and body #>> '{hypervisor,status}' = 'enabled'`,
    [computeNodeKind.name],
  )
  return rows.map(({ host }) => host)
}

/** Counts the volumes of the embedded engine by the age of their newest intact recovery point. */
async function volumePoints({ sql }: Tools): Promise<VolumePoints> {
  const [row] = await sql.query<VolumePoints>(
    `with newest as (
       select body ->> 'volume_id' as volume_id, max((body ->> 'taken_at')::timestamptz) as at
       from resource where kind = $2 and status = 'available' and body ->> 'damaged_by' is null group by 1)
     select count(*)::int as total,
       (count(*) filter (where at is null))::int as never,
       (count(*) filter (where at is null or at < now() - interval '7 days'))::int as week,
       (count(*) filter (where at is null or at < now() - interval '24 hours'))::int as day
     from resource left join newest on newest.volume_id = resource.id
     where kind = $1 and source = 'embedded'`,
    [volumeKind.name, volumeBackupKind.name],
  )
  return row!
}

function objectsOf(tools: Tools): ImpactFacts['objects'] {
  if (!tools.areas['object-storage'].engine) return 'none'
  return isServedHere(tools, 'object-storage') ? 'here' : 'elsewhere'
}

/**
 * Reads the facts that the impact depends on. The number of queries does not depend on how many nodes and virtual
 * machines there are.
 */
export async function readImpactFacts(tools: Tools): Promise<ImpactFacts> {
  const { areas, capabilities, config, ports } = tools
  const here = isServedHere(tools, 'storage')
  const [tree, hosts, machines, volumes, target, backup] = await Promise.all([
    treeOf(tools),
    computeHosts(tools),
    machinesByHost(tools),
    here ? volumePoints(tools) : null,
    here ? ports.storage.backupTarget.view() : null,
    viewBackup(tools),
  ])
  return {
    ...tree,
    machines,
    computeHosts: hosts,
    restarts: capabilities.compute.instance_ha,
    volumes,
    storageEngine: areas.storage.engine?.name ?? null,
    pointsOnSameDisk: target?.on_same_disk ?? false,
    databaseIsHere: config.databaseUrl === null,
    managementBackup: {
      ...{ ready: backup.ready, overdue: backup.overdue, onSameDisk: backup.on_same_disk },
      last: backup.last_backup_date,
    },
    objects: objectsOf(tools),
    now: new Date(),
  }
}
