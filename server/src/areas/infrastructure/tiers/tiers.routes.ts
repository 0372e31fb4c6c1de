import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import type { TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'
import { diskKind, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { storageTiers, type StorageTier } from '@mainstay/contract/infrastructure/tiers'
import { KEPT_SECONDS } from '@mainstay/contract/monitoring/metric-queries'
import { mountOf } from '@mainstay/engines/hosts/facts/disks'
import { serve } from '../../../http/serve'
import { usedSpaceSeries } from '../../../metrics/host-sampler'
import type { Tools } from '../../../tools'
import { requireCluster } from '../clusters.service'
import { statement, statementOf } from '../nodes/statement'
import { fullAt, growthOf, type Measurement } from './growth'

/** Interval between two measurements from which the growth is computed. */
const STEP_SECONDS = 3600

export const tierRoutes = serve(
  storageTiers,
  {
    async list({ request }, tools) {
      requireCluster(tools, CLUSTER_ID)
      const [here, inCeph] = await Promise.all([tiersHere(tools, request.signal), tiersInCeph(tools)])
      const tiers = [...here.tiers, ...inCeph.tiers]
      return { tiers, reason: inCeph.reason ?? (tiers.length > 0 ? null : here.reason) }
    },
  },
  { about: 'cluster' },
)

type Listed = ReplyOf<typeof storageTiers.list>

/** Returns the tiers of the engine that stores volumes. */
async function tiersHere(tools: Tools, signal: AbortSignal): Promise<Listed> {
  const { engine } = tools.areas.storage
  if (!engine) return { tiers: [], reason: statement('infrastructure.tiers_without_volumes') }
  const { storage } = tools.ports
  const found = await storage.tiers()
  if (!found) return { tiers: [], reason: statement('infrastructure.tiers_of_cloud', { engine: engine.name }) }
  const [encryption, disks, grown] = await Promise.all([
    storage.encryption.read(),
    disksHere(tools),
    readGrowth(tools, signal),
  ])
  const tiers = found.map((facts): StorageTier => {
    const tier = { ...facts, total: facts.used + facts.free, ...grown }
    return {
      ...{ store: 'host', device_classes: [], ...tier },
      ...placeOf(facts.folder, disks),
      encrypted: encryption[`tier${facts.tier}` as keyof TierEncryption],
      full_at: fullAt(tier, new Date())?.toISOString() ?? null,
    }
  })
  return { tiers, reason: null }
}

/** Returns the tiers of the attached Ceph cluster; none if there is none. If it does not respond, says why. */
async function tiersInCeph({ ceph }: Pick<Tools, 'ceph'>): Promise<Listed> {
  if (!ceph) return { tiers: [], reason: null }
  const growth_unknown = statement('infrastructure.tier_growth_ceph')
  try {
    const tiers = (await ceph.tiers()).map((tier): StorageTier => ({
      ...tier,
      ...{ store: 'ceph', folder: null, devices: [], devices_unknown: null, total: tier.used + tier.free },
      ...{ growth: null, growth_unknown, full_at: null },
    }))
    return { tiers, reason: null }
  } catch (error) {
    return { tiers: [], reason: statementOf(error) }
  }
}

/** Returns the disks of the host that runs the management services. */
const disksHere = ({ inventory }: Pick<Tools, 'inventory'>): Promise<Disk[]> =>
  inventory.transaction(async (records) => {
    const [here] = await records.find<Node>(nodeKind.name, { is_primary: true }, 1)
    return here ? records.find<Disk>(diskKind.name, { node_id: here.id }) : []
  })

/** Finds the disks that contain a folder. The file system of a RAID or a volume group can be on several disks. */
function placeOf(folder: string, disks: readonly Disk[]): Pick<StorageTier, 'devices' | 'devices_unknown'> {
  const mount = mountOf(
    folder,
    disks.flatMap(({ holders }) => holders),
  )
  const devices = disks.filter(({ holders }) => mount !== null && holders.includes(mount)).map(({ device }) => device)
  return { devices, devices_unknown: devices.length > 0 ? null : statement('infrastructure.tier_devices_unknown') }
}

/**
 * Computes the growth from the metrics of this host. Its only tier is on the file system of the data folder, whose used
 * space is measured.
 */
async function readGrowth(
  { figures: { store } }: Pick<Tools, 'figures'>,
  signal: AbortSignal,
): Promise<Pick<StorageTier, 'growth' | 'growth_unknown'>> {
  if (store.advice !== null) {
    const { advice } = store
    return { growth: null, growth_unknown: statement('infrastructure.tier_growth_no_store', { advice }) }
  }
  const end = Math.floor(Date.now() / 1000)
  const times = { start: String(end - KEPT_SECONDS), end: String(end), step: String(STEP_SECONDS) }
  const query = `max(last_over_time(${usedSpaceSeries()}[${STEP_SECONDS}s]))`
  const answer = await store.ask('query_range', { query, labels: {}, times }, signal).catch(() => null)
  if (answer?.data.resultType !== 'matrix')
    return { growth: null, growth_unknown: statement('infrastructure.tier_growth_away') }
  const measurements = (answer.data.result[0]?.values ?? [])
    .map(([time, used]): Measurement => [time, Number(used)])
    .filter(([, used]) => Number.isFinite(used))
  const growth = growthOf(measurements)
  return { growth, growth_unknown: growth === null ? statement('infrastructure.tier_growth_short') : null }
}
