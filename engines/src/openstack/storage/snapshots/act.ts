import { problemOf, type Problem } from '@mainstay/contract/core/problems'
import { snapshotCan, whySnapshotNotNow, type SnapshotAction } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { snapshotReader } from './shape'

/* Shared by the snapshot commands. */

export const subjectOf = ({ id, name }: Pick<VolumeSnapshot, 'id' | 'name'>) => ({
  kind: snapshotReader.kind,
  id,
  name,
})

export const unlessAllowed =
  (action: SnapshotAction) =>
  (snapshot: VolumeSnapshot): Problem | null =>
    snapshotCan(action, snapshot) ? null : problemOf(whySnapshotNotNow(snapshot))
