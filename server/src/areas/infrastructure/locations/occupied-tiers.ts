import type { OccupiedTier } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { isServedHere } from '../../../engines/served-here'
import type { Tools } from '../../../tools'

/** Tier of the embedded engine: the disk that contains its data folder. */
export const DATA_FOLDER_TIER = 0

/**
 * Returns the tiers that hold data, with the number of disks, hosts and locations that hold it. The embedded engine has
 * a single tier: its data folder, on one disk of this host. The tiers of an attached cloud are not known, those of an
 * attached Ceph cluster are counted in its CRUSH map.
 */
export async function occupiedTiers(tools: Pick<Tools, 'areas' | 'inventory' | 'ceph'>): Promise<OccupiedTier[]> {
  const [here, inCeph] = await Promise.all([tiersHere(tools), tools.ceph?.occupied() ?? []])
  return [...here, ...inCeph.map((tier) => ({ ...tier, store: 'ceph' as const }))]
}

async function tiersHere(tools: Pick<Tools, 'areas' | 'inventory'>): Promise<OccupiedTier[]> {
  if (!isServedHere(tools, 'storage')) return []
  const holders = await tools.inventory.transaction((records) =>
    records.find<Node>(nodeKind.name, { is_primary: true }, 1),
  )
  const count = (ids: readonly string[]): number => new Set(ids).size
  return [
    {
      tier: DATA_FOLDER_TIER,
      store: 'host',
      disks: holders.length,
      hosts: holders.length,
      racks: count(holders.map(({ rackId }) => rackId)),
      rows: count(holders.map(({ rowId }) => rowId)),
      rooms: count(holders.map(({ roomId }) => roomId)),
    },
  ]
}
