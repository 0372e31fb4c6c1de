import type { Instance } from '@mainstay/contract/compute/instances'
import type { Problem } from '@mainstay/contract/core/problems'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import { isRunAgain, type JobRun, type RunAgain } from '../../../ports/records'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { volumeReader } from '../../storage/volumes/shape'
import { allowed, orInvalidState, refreshed, subjectOf } from './act'

/** First microversion that accepts `delete_on_termination` when attaching. */
const version = '2.79'

const lookEveryMs = 1000
/** How long a task waits for a volume to settle. After that, only the volume's row shows its state. */
const patienceMs = 10 * 60_000

/** Refuses volumes if another engine serves storage; disks created with an instance always belong to the cloud. */
export const otherStorage = (field: string): Problem => fieldProblem(field, 'compute.volumes_elsewhere')

const refreshedVolume = (engine: Engine, id: string): Promise<Volume> => engine.refresh(volumeReader, id)

/** Returns the caller's volume. Refreshes the row if the index has another status. */
async function volumeIn(engine: Engine, scope: Scope, id: string, status: string): Promise<Volume> {
  const volume = await engine.known<Volume>('volume', scope, id)
  return volume.status === status ? volume : refreshedVolume(engine, id)
}

export async function attachVolume(
  engine: Engine,
  scope: Scope,
  id: string,
  volumeId: string,
  deleteOnTermination: boolean,
): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'attachVolume')
  if (!engine.areas.has('storage')) throw otherStorage('volume_id')
  const volume = await volumeIn(engine, scope, volumeId, 'available')
  if (volume.project_id !== row.project_id) throw notFound()
  if (volume.status !== 'available') {
    throw fieldProblem('volume_id', 'compute.volume_not_available', { status: volume.status })
  }
  const cloud = await engine.as(scope)
  const body = { volumeAttachment: { volumeId, delete_on_termination: deleteOnTermination } }
  const path = `/servers/${id}/os-volume_attachments`
  return changeVolumes(engine, scope, row, volumeId, 'compute.server.attach_volume', () =>
    cloud.send('POST', 'compute', path, z.void(), { version, body }),
  )
}

export async function detachVolume(engine: Engine, scope: Scope, id: string, volumeId: string): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'detachVolume')
  if (!engine.areas.has('storage')) throw otherStorage('volume_id')
  const shown = row.volumes.find((volume) => volume.id === volumeId)
  if (!shown) throw notFound()
  // the cloud keeps the boot volume attached until the instance is deleted, even if the instance is stopped
  if (shown.boot_index === 0) {
    throw problem('compute.boot_volume_attached')
  }
  const volume = await volumeIn(engine, scope, volumeId, 'in-use')
  if (volume.status !== 'in-use') {
    throw problem('compute.volume_not_detachable', { status: volume.status }, { data: { status: volume.status } })
  }
  const cloud = await engine.as(scope)
  const path = `/servers/${id}/os-volume_attachments/${volumeId}`
  return changeVolumes(engine, scope, row, volumeId, 'compute.server.detach_volume', () =>
    cloud.send('DELETE', 'compute', path, z.void()),
  )
}

async function changeVolumes(
  engine: Engine,
  scope: Scope,
  row: Instance,
  volumeId: string,
  name: 'compute.server.attach_volume' | 'compute.server.detach_volume',
  send: () => Promise<void>,
): Promise<Instance> {
  const args = { volume: volumeId }
  await engine.command({ name, subject: subjectOf(row), until: 'settled', scope, args }, () =>
    orInvalidState(engine, row.id, send()),
  )
  const [begun] = await Promise.all([refreshed(engine, row.id), refreshedVolume(engine, volumeId)])
  return begun
}

/**
 * Finds out from the volume whether the cloud accepted the command, because attaching does not make the instance busy.
 */
const findByVolume =
  (engine: Engine, wasIn: Volume['status']): NonNullable<TaskSteps['find']> =>
  async ({ args }) => {
    const volume = await unlessGone(refreshedVolume(engine, args['volume'] as string))
    return volume?.status !== wasIn
  }

/** Waits for the volume, because the instance does not become busy. */
export const attachVolumeSteps = (engine: Engine): TaskSteps => ({
  find: findByVolume(engine, 'available'),

  async onSettled(job) {
    const { id } = job.subject
    const volume = await settledVolume(engine, job.args['volume'] as string, job)
    if (isRunAgain(volume)) return volume
    await refreshed(engine, id)
    if (!volume?.attachments.some((it) => it.server_id === id)) throw problem('compute.volume_not_attached_by_cloud')
    return null
  },
})

export const detachVolumeSteps = (engine: Engine): TaskSteps => ({
  find: findByVolume(engine, 'in-use'),

  async onSettled(job) {
    const { id } = job.subject
    const volume = await settledVolume(engine, job.args['volume'] as string, job)
    if (isRunAgain(volume)) return volume
    await refreshed(engine, id)
    if (volume?.attachments.some((it) => it.server_id === id)) {
      throw problem('compute.guest_keeps_volume')
    }
    return null
  },
})

/**
 * Returns the refreshed volume once it has settled, or null if it is gone. Until then, returns when to run the job
 * again.
 */
export async function settledVolume(
  engine: Engine,
  id: string,
  { time, since }: Pick<JobRun, 'time' | 'since'>,
): Promise<Volume | RunAgain | null> {
  const volume = await unlessGone(refreshedVolume(engine, id))
  if (!volume || !volumeReader.isBusy(volume) || time - since > patienceMs) return volume
  return { again: lookEveryMs }
}
