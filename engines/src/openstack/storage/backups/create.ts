import { randomUUID } from 'node:crypto'
import { fieldProblem, Problem, problem, problemOf } from '@mainstay/contract/core/problems'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeBackup, VolumeBackupDraft } from '@mainstay/contract/storage/volume-backups'
import { whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { InstantOrder } from '../../../ports/storage'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { whole } from '../../networking/wire'
import { unlessGone } from '../../read-each'
import { isAway } from '../later'
import { INTENT, Made } from '../volumes/act'
import { volumeReader } from '../volumes/shape'
import { explained, quietMs, subjectOf } from './act'
import { parentAmong } from './chain'
import { discardingPoint } from './delete'
import { metadataOf, metadataVersion } from './metadata'
import { backupReader, backupsOf } from './shape'

/** A volume to capture. `parent`: null for a full recovery point. */
interface Capture {
  volume: Volume
  parent: VolumeBackup | null
}

/** A backup that the cloud has started to create. */
interface BegunPoint {
  id: string
  name: string
  volume_id: string
}

const createTask = (
  scope: Scope,
  point: Pick<VolumeBackup, 'id' | 'name'>,
  volumes: readonly string[],
): TrackedTask => ({
  ...{ name: 'compute.volume_backup.create', subject: subjectOf(point), until: 'settled', scope },
  args: { volumes },
})

/** Creates a recovery point of one volume. Throws an error on `volume_id` if the volume does not exist. */
export async function createPoint(
  engine: Engine,
  scope: ProjectScope,
  { volume_id, ...draft }: VolumeBackupDraft,
): Promise<VolumeBackup> {
  const created = createInstant(engine, scope, { ...draft, volume_ids: [volume_id], plan: null })
  const [point] = await created.catch((error: unknown) => {
    const isMissing = error instanceof Problem && error.code === 'not_found'
    throw isMissing ? fieldProblem('volume_id', 'compute.no_such_volume') : error
  })
  return point!
}

/** Creates recovery points of several volumes, one after the other. If one is refused, the others are deleted. */
export async function createInstant(engine: Engine, scope: ProjectScope, order: InstantOrder): Promise<VolumeBackup[]> {
  const captures: Capture[] = []
  for (const id of order.volume_ids) captures.push(await captureOf(engine, scope, id, order.full))
  // a run of a plan has no credential, unless a user started it
  const isUnattended = order.plan !== null && !scope.credential
  const cloud = await (isUnattended ? engine.accountIn(scope.project_id) : engine.as(scope))
  const meant = createTask(scope, { id: '', name: order.name }, order.volume_ids)
  const { points, failure } = await engine.command(
    meant,
    (intent) => begin(cloud, captures, order, intent),
    (begun) =>
      begun.points.map((point) =>
        begun.failure ? discardingPoint(scope, point) : createTask(scope, point, [point.volume_id]),
      ),
  )
  if (failure) throw failure
  for (const { volume, parent } of captures) {
    await unlessGone(engine.refresh(volumeReader, volume.id))
    if (parent) await unlessGone(engine.refresh(backupReader, parent.id))
  }
  const rows: VolumeBackup[] = []
  for (const { id } of points) rows.push(await engine.refresh(backupReader, id))
  return rows
}

/**
 * Returns how a volume can be captured now; throws if it cannot. Volumes in other projects are refused, because the
 * cloud creates backups in the caller's project.
 */
async function captureOf(engine: Engine, scope: ProjectScope, id: string, isFull: boolean): Promise<Capture> {
  const volume = await loadUnlessRefused(engine, volumeReader, scope, id, (row) =>
    volumeCanBeCaptured(row) ? null : problemOf(whyVolumeNotNow(row)),
  )
  if (volume.project_id !== scope.project_id) throw problem('storage.volume_of_another_project')
  if (isFull) return { volume, parent: null }
  const points = await backupsOf(engine.reading, id)
  return { volume, parent: parentAmong(points.filter(({ project_id }) => project_id === scope.project_id)) }
}

/**
 * Sends a request for each volume. `failure`: the error of the first refused request. Throws if the outcome of a
 * request is unknown; the intent then determines the outcome.
 */
async function begin(
  cloud: ServiceClient,
  captures: readonly Capture[],
  order: InstantOrder,
  intent: string,
): Promise<{ points: BegunPoint[]; failure: Problem | null }> {
  const instant_id = randomUUID()
  const points: BegunPoint[] = []
  for (const { volume, parent } of captures) {
    const [attachment] = volume.attachments
    const facts = metadataOf({
      ...{ instant_id, volumes: captures.length, volume_name: volume.name, bootable: volume.bootable },
      ...{ storage_policy_name: volume.storage_policy_name, parent_id: parent?.id ?? null },
      ...{ server_id: attachment?.server_id ?? null, server_name: attachment?.server_name ?? null },
      device: attachment?.device ?? null,
      ...{ backup_plan_id: order.plan?.id ?? null, backup_plan_name: order.plan?.name ?? null },
    })
    const { name, description } = order
    const backup = {
      ...{ volume_id: volume.id, name, description, incremental: parent !== null },
      // without it, Cinder refuses attached volumes
      force: true,
      metadata: { [INTENT]: intent, ...facts },
    }
    try {
      const shape = z.object({ backup: Made })
      const options = { body: { backup }, version: metadataVersion }
      const made = await cloud.send('POST', 'volume', '/backups', shape, options)
      points.push({ id: made.backup.id, name, volume_id: volume.id })
    } catch (error) {
      const failure = explained(error)
      if (points.length > 0 && failure instanceof Problem && failure.status < 500) return { points, failure }
      throw failure
    }
  }
  return { points, failure: null }
}

const Marked = z.object({ id: z.string(), name: z.string().nullish(), metadata: z.record(z.string(), z.unknown()) })

/** Returns the backups of these volumes that were created for an intent. */
async function pointsMadeFor({ reading }: Engine, intent: string, volumes: readonly string[]): Promise<BegunPoint[]> {
  const points: BegunPoint[] = []
  for (const volume_id of volumes) {
    const options = { query: { all_tenants: 1, volume_id }, version: metadataVersion }
    const rows = await whole(reading.caller.pages('volume', '/backups/detail', 'backups', Marked, options))
    for (const { id, name, metadata } of rows)
      if (metadata[INTENT] === intent) points.push({ id, name: name ?? '', volume_id })
  }
  return points
}

/** Returns the steps of tasks that track the creation of recovery points. */
export const createSteps = (engine: Engine): TaskSteps => ({
  quietMs,

  /** Some recovery points of an instant are worthless without the others, so they are deleted. */
  async find({ task_id, scope, args }) {
    const volumes = args['volumes'] as string[]
    const made = await pointsMadeFor(engine, task_id, volumes)
    return made.length === volumes.length && made.map((point) => createTask(scope, point, [point.volume_id]))
  },

  async undo({ task_id, scope, args }) {
    for (const point of await pointsMadeFor(engine, task_id, args['volumes'] as string[])) {
      await engine.trackToCompletion(discardingPoint(scope, point))
    }
  },

  /**
   * Refreshes the volume, which is no longer being captured, and the previous recovery point, which now has a
   * dependent.
   */
  async onSettled({ args, subject, scope }) {
    const unlessAway = (error: unknown) => {
      if (!isAway(error)) throw error
      return null
    }
    for (const id of args['volumes'] as string[]) await unlessGone(engine.refresh(volumeReader, id)).catch(unlessAway)
    const point = await unlessGone(engine.known<VolumeBackup>(backupReader.kind, scope, subject.id))
    if (point?.parent_id) await unlessGone(engine.refresh(backupReader, point.parent_id)).catch(unlessAway)
  },
})
