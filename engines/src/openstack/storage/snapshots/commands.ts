import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import { whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type {
  VolumeSnapshot,
  VolumeSnapshotChange,
  VolumeSnapshotDraft,
} from '@mainstay/contract/storage/volume-snapshots'
import * as z from 'zod'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { VolumeSnapshotsPort } from '../../../ports/storage'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { whole } from '../../networking/wire'
import { unlessGone } from '../../read-each'
import { isAway } from '../later'
import { INTENT, Made } from '../volumes/act'
import { volumeReader } from '../volumes/shape'
import type { VolumePatience } from '../volumes/until-available'
import { subjectOf, unlessAllowed } from './act'
import { snapshotImages } from './images'
import { revertSteps, revertVolume } from './revert'
import { snapshotReader } from './shape'

/**
 * Commands for snapshots: https://docs.openstack.org/api-ref/block-storage/v3/. `patience`: shorter waits, for tests.
 */
export function snapshotCommands(engine: Engine, patience?: VolumePatience): VolumeSnapshotsPort {
  engine.registerTaskSteps('compute.volume_snapshot.create', createSteps(engine))
  engine.registerTaskSteps('compute.volume_snapshot.delete', deleteSteps(engine))
  engine.registerTaskSteps('compute.volume_snapshot.revert', revertSteps(engine))
  return {
    create: (scope, draft) => createSnapshot(engine, scope, draft),
    update: (scope, id, change) => updateSnapshot(engine, scope, id, change),
    delete: (scope, id) => deleteSnapshot(engine, scope, id),
    revert: (scope, id) => revertVolume(engine, scope, id),
    resetState: (scope, id) => resetState(engine, scope, id),
    ...snapshotImages(engine, patience),
  }
}

const createTask = (scope: Scope, volume: string, snapshot: Pick<VolumeSnapshot, 'id' | 'name'>): TrackedTask => ({
  ...{ name: 'compute.volume_snapshot.create', subject: subjectOf(snapshot), until: 'settled', scope },
  args: { volume },
})

async function createSnapshot(
  engine: Engine,
  scope: ProjectScope,
  { volume_id, name, description }: VolumeSnapshotDraft,
): Promise<VolumeSnapshot> {
  const cloud = await engine.as(scope)
  await checkVolume(engine, scope, volume_id)
  const send = (intent: string) => {
    // without `force`, older clouds refuse attached volumes
    const snapshot = { volume_id, name, description, force: true, metadata: { [INTENT]: intent } }
    return cloud.send('POST', 'volume', '/snapshots', z.object({ snapshot: Made }), { body: { snapshot } })
  }
  // the ID is unknown until the cloud has created it
  const { snapshot } = await engine.command(createTask(scope, volume_id, { id: '', name }), send, (made) => [
    createTask(scope, volume_id, { id: made.snapshot.id, name }),
  ])
  return engine.refresh(snapshotReader, snapshot.id)
}

/**
 * Throws unless a snapshot of the volume can be created now. Volumes in other projects are refused, because the cloud
 * creates snapshots in the caller's project.
 */
async function checkVolume(engine: Engine, scope: ProjectScope, id: string): Promise<void> {
  const volume = await unlessGone(
    loadUnlessRefused(engine, volumeReader, scope, id, (row) =>
      volumeCanBeCaptured(row) ? null : problemOf(whyVolumeNotNow(row)),
    ),
  )
  if (!volume) throw fieldProblem('volume_id', 'compute.no_such_volume')
  if (volume.project_id !== scope.project_id) throw problem('storage.volume_of_another_project')
}

const Marked = z.object({
  id: z.string(),
  name: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).default({}),
})

const createSteps = ({ reading }: Engine): TaskSteps => ({
  async find({ task_id, scope, args }) {
    const volume_id = String(args['volume'])
    const query = { all_tenants: 1, volume_id }
    const rows = await whole(reading.caller.pages('volume', '/snapshots/detail', 'snapshots', Marked, { query }))
    const made = rows.find(({ metadata }) => metadata[INTENT] === task_id)
    return made ? [createTask(scope, volume_id, { id: made.id, name: made.name ?? '' })] : false
  },
})

async function updateSnapshot(
  engine: Engine,
  scope: Scope,
  id: string,
  change: VolumeSnapshotChange,
): Promise<VolumeSnapshot> {
  const cloud = await engine.as(scope)
  await loadUnlessRefused(engine, snapshotReader, scope, id, unlessAllowed('rename'))
  if (Object.keys(change).length > 0)
    await cloud.send('PUT', 'volume', `/snapshots/${id}`, z.void(), { body: { snapshot: change } })
  return engine.refresh(snapshotReader, id)
}

async function deleteSnapshot(engine: Engine, scope: Scope, id: string): Promise<VolumeSnapshot> {
  const cloud = await engine.as(scope)
  const snapshot = await loadUnlessRefused(engine, snapshotReader, scope, id, unlessAllowed('delete'))
  const meant = { name: 'compute.volume_snapshot.delete', subject: subjectOf(snapshot), until: 'gone', scope } as const
  await engine.command(meant, () => unlessGone(cloud.send('DELETE', 'volume', `/snapshots/${id}`, z.void())))
  const row = await unlessGone(engine.refresh(snapshotReader, id))
  return row ?? { ...snapshot, status: 'deleting' }
}

const deleteSteps = (engine: Engine): TaskSteps => ({
  /** Fails if the snapshot is available again: the cloud accepts the deletion before it looks for dependent volumes. */
  async whilePending({ subject: { id } }, { status }) {
    if (status !== 'available') return
    // the indexed row may be older than the command
    const snapshot = await unlessGone(engine.refresh(snapshotReader, id)).catch((error: unknown) => {
      if (isAway(error)) return null
      throw error
    })
    if (snapshot?.status === 'available') throw problem('storage.snapshot_has_children')
  },
})

async function resetState(engine: Engine, scope: Scope, id: string): Promise<VolumeSnapshot> {
  const cloud = await engine.as(scope)
  await engine.known<VolumeSnapshot>(snapshotReader.kind, scope, id)
  const body = { 'os-reset_status': { status: 'available' } }
  await cloud.send('POST', 'volume', `/snapshots/${id}/action`, z.void(), { body })
  return engine.refresh(snapshotReader, id)
}
