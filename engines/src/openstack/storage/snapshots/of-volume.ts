import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Engine } from '../../engine'
import { snapshotReader } from './shape'

/** Returns the snapshots of a volume from the index. */
export const snapshotsOf = ({ records }: Pick<Engine, 'records'>, volume_id: string): Promise<VolumeSnapshot[]> =>
  records.transaction((tx) => tx.find<VolumeSnapshot>(snapshotReader.kind, { volume_id }))
