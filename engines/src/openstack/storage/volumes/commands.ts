import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { attachedVolumeCanExtend } from '@mainstay/contract/storage/volume-rules'
import type { Volume, VolumeChange, VolumeDraft } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { VolumesPort } from '../../../ports/storage'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import { instanceReader } from '../../compute/instances/reader'
import { checkHolds, usableImage } from '../../compute/images/usable-image'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { noRecycling } from '../recycle-bin'
import { checkSnapshot } from '../snapshots/usable-snapshot'
import { aboutSize, act, findMade, INTENT, Made, subjectOf, unlessAllowed } from './act'
import { volumeCopies } from './copies'
import { deleteVolume, deleteVolumeSteps } from './delete'
import { volumeReader } from './shape'

/** First microversion that can extend volumes in use. */
const extendInUseVersion = '3.42'

export function volumeCommands(engine: Engine): VolumesPort {
  engine.registerTaskSteps('compute.volume.create', createVolumeSteps(engine))
  engine.registerTaskSteps('compute.volume.delete', deleteVolumeSteps(engine))
  engine.registerTaskSteps('compute.volume.extend', {
    // instances include the sizes of their disks
    onSettled: async ({ subject }) => refreshInstances(engine, await engine.refresh(volumeReader, subject.id)),
  })
  return {
    create: (scope, draft) => createVolume(engine, scope, draft),
    update: (scope, id, change) => updateVolume(engine, scope, id, change),
    delete: (scope, id, cascade = false) => deleteVolume(engine, scope, id, cascade),
    recycle: noRecycling,
    extend: (scope, id, sizeBytes) => extendVolume(engine, scope, id, sizeBytes),
    resetState: (scope, id) => resetState(engine, scope, id),
    ...volumeCopies(engine),
  }
}

/** Sets whether an instance can boot from the volume. */
export const setBootable = (cloud: ServiceClient, id: string, bootable: boolean): Promise<unknown> =>
  act(cloud, id, { 'os-set_bootable': { bootable } })

async function createVolume(engine: Engine, scope: ProjectScope, draft: VolumeDraft): Promise<Volume> {
  const cloud = await engine.as(scope)
  const { name, description, image_id, snapshot_id, bootable, storage_policy_name: policy } = draft
  if (image_id !== null) {
    checkHolds(await usableImage(cloud, image_id, 'image_id'), draft.size, { image: 'image_id', size: 'size' })
  }
  if (snapshot_id) await checkSnapshot(cloud, scope, snapshot_id, draft.size)
  const isToBoot = bootable && image_id === null
  const followed = (id: string): TrackedTask => ({
    ...{ name: 'compute.volume.create', subject: subjectOf({ id, name }), until: 'settled', scope, args: { isToBoot } },
  })
  const send = (intent: string) => {
    const metadata = { [INTENT]: intent }
    const body = {
      volume: {
        ...{ name, description, metadata, size: draft.size / GiB },
        ...(image_id !== null && { imageRef: image_id }),
        ...(snapshot_id && { snapshot_id }),
        ...(policy !== undefined && { volume_type: policy }),
      },
    }
    return cloud.send('POST', 'volume', '/volumes', z.object({ volume: Made }), { body })
  }
  // the ID is unknown until the cloud has created it
  const { volume } = await engine
    .command(followed(''), send, (made) => [followed(made.volume.id)])
    .catch((error: unknown) => {
      throw aboutSize(error)
    })
  if (isToBoot) await setBootable(cloud, volume.id, true)
  return engine.refresh(volumeReader, volume.id)
}

const createVolumeSteps = (engine: Engine): TaskSteps => ({
  find: (intent) => findMade(engine, intent, 'compute.volume.create', { isToBoot: intent.args['isToBoot'] }),

  /** Marks the volume as bootable if the command did not get that far. */
  async onSettled({ subject: { id }, args }) {
    if (!args['isToBoot'] || (await engine.refresh(volumeReader, id)).bootable) return
    await setBootable(engine.reading.caller, id, true)
    await engine.refresh(volumeReader, id)
  },
})

async function updateVolume(engine: Engine, scope: Scope, id: string, change: VolumeChange): Promise<Volume> {
  const cloud = await engine.as(scope)
  const before = await loadUnlessRefused(engine, volumeReader, scope, id, unlessAllowed('rename'))
  const { bootable, storage_policy_name: policy, ...words } = change
  if (policy !== undefined && policy !== before.storage_policy_name)
    throw fieldProblem('storage_policy_name', 'storage.policy_is_fixed')
  if (Object.keys(words).length > 0)
    await cloud.send('PUT', 'volume', `/volumes/${id}`, z.void(), { body: { volume: words } })
  if (bootable !== undefined) await setBootable(cloud, id, bootable)
  const row = await engine.refresh(volumeReader, id)
  // instances include the names of their disks
  if (row.name !== before.name) await refreshInstances(engine, row)
  return row
}

async function refreshInstances(engine: Engine, { attachments }: Volume): Promise<void> {
  for (const { server_id } of attachments) await unlessGone(engine.refresh(instanceReader, server_id))
}

async function extendVolume(engine: Engine, scope: Scope, id: string, sizeBytes: number): Promise<Volume> {
  const cloud = await engine.as(scope)
  const volume = await loadUnlessRefused(engine, volumeReader, scope, id, unlessAllowed('extend'))
  if (sizeBytes <= volume.size) throw fieldProblem('size', 'storage.volume_only_grows')
  const [attachment] = volume.attachments
  if (attachment) await checkGrowsInUse(engine, cloud, scope, attachment.server_id)
  const action = { 'os-extend': { new_size: sizeBytes / GiB } }
  const meant = { name: 'compute.volume.extend', subject: subjectOf(volume), until: 'settled', scope } as const
  const send = () => act(cloud, id, action, attachment && extendInUseVersion)
  await engine.command(meant, send).catch((error: unknown) => {
    throw aboutSize(error)
  })
  return engine.refresh(volumeReader, id)
}

async function checkGrowsInUse(engine: Engine, cloud: ServiceClient, scope: Scope, serverId: string): Promise<void> {
  if (!(await cloud.offers('volume', extendInUseVersion))) throw problem('storage.attached_volume_grows_not')
  const refusal = (instance: Instance) =>
    attachedVolumeCanExtend(instance) ? null : problem('storage.disk_cannot_grow', { status: instance.status })
  // if the index does not contain the instance yet, the cloud decides
  await unlessGone(loadUnlessRefused(engine, instanceReader, scope, serverId, refusal))
}

const Attached = z.object({ volumeAttachments: z.array(z.object({ volumeId: z.string() })) })

/** Resets the status to `in-use` if the volume is attached to an instance, and to `available` otherwise. */
async function resetState(engine: Engine, scope: Scope, id: string): Promise<Volume> {
  const cloud = await engine.as(scope)
  const { attachments } = await engine.known<Volume>('volume', scope, id)
  const isAttached = async (serverId: string) => {
    const path = `/servers/${serverId}/os-volume_attachments`
    const found = await unlessGone(cloud.get('compute', path, Attached))
    return found?.volumeAttachments.some(({ volumeId }) => volumeId === id) ?? false
  }
  const holds = await Promise.all(attachments.map(({ server_id }) => isAttached(server_id)))
  const state = holds.includes(true)
    ? { status: 'in-use', attach_status: 'attached' }
    : { status: 'available', attach_status: 'detached' }
  await act(cloud, id, { 'os-reset_status': state })
  return engine.refresh(volumeReader, id)
}
