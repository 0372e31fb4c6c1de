import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem, Problem, problem } from '@mainstay/contract/core/problems'
import type { Restoration, RestoreCheck, RestoreDraft, VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumeIsErrored } from '@mainstay/contract/storage/volume-rules'
import * as z from 'zod'
import { requireQuota } from '../../../ports/quotas'
import type { JobRun, RunAgain } from '../../../ports/records'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { storageQuotasOf } from '../../quotas'
import { unlessGone } from '../../read-each'
import { latestMessage } from '../latest-message'
import { isAway } from '../later'
import { storagePolicyReader } from '../volume-types'
import { INTENT, Made, volumesMadeFor } from '../volumes/act'
import { setBootable } from '../volumes/commands'
import { discarding } from '../volumes/delete'
import { volumeReader } from '../volumes/shape'
import { untilAvailable, type VolumePatience } from '../volumes/until-available'
import { explained, quietMs, subjectOf, unlessAllowed } from './act'
import { backupReader, wasBootable } from './shape'

/*
 * Cinder can create the volume of a restore, but only with the default type, and it does not respond until the volume
 * exists. The command therefore creates the volume with the type of the original. It waits until the volume is
 * available, so that users never see an available volume without its content.
 */

const restoreTask = (scope: Scope, subject: TrackedTask['subject'], volume: string): TrackedTask => ({
  ...{ name: 'compute.volume_backup.restore', subject, until: 'settled', scope },
  args: { volume },
})

/** Restores a recovery point to a new volume in the same project. */
export async function restorePoint(
  engine: Engine,
  scope: ProjectScope,
  id: string,
  { name, storage_policy }: RestoreDraft,
  patience: VolumePatience,
): Promise<Restoration> {
  const cloud = await engine.as(scope)
  const point = await loadUnlessRefused(engine, backupReader, scope, id, unlessAllowed('restore'))
  if (point.project_id !== scope.project_id) throw problem('storage.volume_of_another_project')
  const policy = await policyOf(engine, storage_policy, point)
  const isToBoot = await wasBootable(engine.reading, id)
  const begin = async (intent: string) => {
    const volume = {
      ...{ name, size: point.size / GiB, metadata: { [INTENT]: intent } },
      ...(policy !== undefined && { volume_type: policy }),
    }
    const made = await cloud.send('POST', 'volume', '/volumes', z.object({ volume: Made }), { body: { volume } })
    const target = { id: made.volume.id, name }
    try {
      await checkAvailable(engine, cloud, target.id, patience)
      if (isToBoot) await setBootable(cloud, target.id, true)
      await sendRestore(cloud, id, target.id)
      return { target, failure: null }
    } catch (failure) {
      // after any other error, the cloud may have begun the restore
      if (failure instanceof Problem && failure.status < 500) return { target, failure }
      throw failure
    }
  }
  const subject = subjectOf(point)
  const { target, failure } = await engine.command(restoreTask(scope, subject, ''), begin, (begun) => [
    begun.failure ? discarding(scope, begun.target) : restoreTask(scope, subject, begun.target.id),
  ])
  await unlessGone(engine.refresh(volumeReader, target.id))
  if (failure) throw failure
  const row = await engine.refresh(backupReader, id)
  return { ...row, status: 'restoring', restored_volume_id: target.id }
}

/**
 * Returns the storage policy of the new volume. Undefined: the cloud chooses one, because the policy of the original
 * volume is not known or no longer exists.
 */
async function policyOf(
  { records }: Engine,
  wanted: string | undefined,
  { storage_policy_name }: VolumeBackup,
): Promise<string | undefined> {
  const name = wanted ?? storage_policy_name
  const [known] = await records.transaction((tx) => tx.find(storagePolicyReader.kind, { name }))
  if (known) return name
  if (wanted !== undefined) throw fieldProblem('storage_policy', 'storage.no_such_policy')
  return undefined
}

/** Waits until the new volume is available. Throws if it is not. */
async function checkAvailable(
  { reading }: Engine,
  cloud: ServiceClient,
  id: string,
  patience: VolumePatience,
): Promise<void> {
  const outcome = await untilAvailable(cloud, id, patience)
  if (outcome === 'failed') {
    throw problem('storage.restore_without_volume', { reason: (await latestMessage(reading, id)) ?? '' })
  }
  if (outcome === 'slow') throw problem('storage.restore_slow', { seconds: patience.atMost / 1000 })
}

const sendRestore = (cloud: ServiceClient, id: string, volume_id: string): Promise<unknown> =>
  cloud
    .send('POST', 'volume', `/backups/${id}/restore`, z.void(), { body: { restore: { volume_id } } })
    .catch((error: unknown) => {
      throw explained(error)
    })

/** Statuses of a volume after the cloud has accepted its restore. */
const restoreStatuses = ['restoring-backup', 'error_restoring']

/** Returns the steps of tasks that track a restore. */
export const restoreSteps = (engine: Engine, { look }: Pick<VolumePatience, 'look'>): TaskSteps => ({
  quietMs,

  async find({ task_id, scope, subject }) {
    const [made] = await volumesMadeFor(engine, task_id)
    const volume = made ? await unlessGone(engine.refresh(volumeReader, made.id)) : null
    return volume && restoreStatuses.includes(volume.status) ? [restoreTask(scope, subject, volume.id)] : false
  },

  async undo({ task_id, scope }) {
    for (const volume of await volumesMadeFor(engine, task_id)) {
      await engine.trackToCompletion(discarding(scope, volume))
    }
  },

  /**
   * Waits for the volume, and fails if it is in the error state. The recovery point does not show this, because it
   * becomes available again in any case.
   */
  async onSettled(job: JobRun): Promise<RunAgain | null> {
    try {
      const volume = await unlessGone(engine.refresh(volumeReader, String(job.args['volume'])))
      if (!volume) return null
      if (volumeIsErrored(volume)) throw new Error(volume.fault ?? 'The cloud could not restore the recovery point')
      return volumeReader.isBusy(volume) ? { again: look } : null
    } catch (error) {
      if (isAway(error)) return { again: look }
      throw error
    }
  },
})

/** Runs the checks before a restore. In a cloud, only the quotas can be checked. */
export async function checkRestore(engine: Engine, scope: Scope, ids: readonly string[]): Promise<RestoreCheck[]> {
  const points = await Promise.all(ids.map((id) => engine.known<VolumeBackup>(backupReader.kind, scope, id)))
  return [
    { name: 'chain', ok: null, reason: null },
    { name: 'target', ok: null, reason: null },
    { name: 'quota', ...(await checkQuota(engine, scope, points)) },
  ]
}

async function checkQuota(
  engine: Engine,
  scope: Scope,
  points: readonly VolumeBackup[],
): Promise<Omit<RestoreCheck, 'name'>> {
  try {
    const { volumes, storage } = await storageQuotasOf(engine, scope, points[0]?.project_id ?? '')
    requireQuota('volumes', volumes, { amount: points.length })
    requireQuota('storage', storage, { amount: points.reduce((sum, { size }) => sum + size, 0) })
    return { ok: true, reason: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // if the quotas cannot be read, the result is unknown
    return error.code === 'quota_exceeded' ? { ok: false, reason: error.message } : { ok: null, reason: null }
  }
}
