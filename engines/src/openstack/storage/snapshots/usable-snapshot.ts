import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { snapshotCan } from '@mainstay/contract/storage/snapshot-rules'
import * as z from 'zod'
import type { ProjectScope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { WireSnapshot } from './shape'

/**
 * Throws an error on `snapshot_id` or `size` unless a volume of this size can be created from the snapshot. The
 * snapshot must belong to the caller's project, even if the caller can read others.
 */
export async function checkSnapshot(
  cloud: ServiceClient,
  { project_id }: ProjectScope,
  id: string,
  sizeBytes: number,
): Promise<void> {
  const shape = z.object({ snapshot: WireSnapshot })
  const snapshot = (await unlessGone(cloud.get('volume', `/snapshots/${encodeURIComponent(id)}`, shape)))?.snapshot
  if (!snapshot || snapshot['os-extended-snapshot-attributes:project_id'] !== project_id) {
    throw fieldProblem('snapshot_id', 'storage.no_such_snapshot')
  }
  const { status, size } = snapshot
  if (!snapshotCan('copy', snapshot)) throw fieldProblem('snapshot_id', 'storage.snapshot_not_now', { status })
  if (sizeBytes < size * GiB) throw fieldProblem('size', 'storage.copy_size')
}
