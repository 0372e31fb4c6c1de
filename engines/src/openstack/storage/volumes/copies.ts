import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { attachedVolumeCanBeImage, attachedVolumeCanClone } from '@mainstay/contract/storage/volume-rules'
import type { Volume, VolumeCloneDraft } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { VolumesPort } from '../../../ports/storage'
import type { ProjectScope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import { imageReader } from '../../compute/images/shape'
import { instanceReader } from '../../compute/instances/reader'
import type { Engine, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { aboutSize, findMade, INTENT, Made, subjectOf, unlessAllowed } from './act'
import { volumeReader } from './shape'

/** Copies a volume to another volume or to an image: https://docs.openstack.org/api-ref/block-storage/v3/ */
export function volumeCopies(engine: Engine): Pick<VolumesPort, 'clone' | 'uploadToImage'> {
  engine.registerTaskSteps('compute.volume.clone', {
    find: (intent) => findMade(engine, intent, 'compute.volume.clone'),
  })
  engine.registerTaskSteps('compute.volume.upload_to_image', {
    async onSettled({ args }) {
      const image = args['image']
      if (typeof image === 'string') await unlessGone(engine.refresh(imageReader, image))
    },
  })
  return {
    clone: (scope, id, draft) => cloneVolume(engine, scope, id, draft),
    uploadToImage: (scope, id, name) => uploadToImage(engine, scope, id, name),
  }
}

/**
 * Returns the volume if it can be copied now; throws otherwise. Volumes in other projects cannot be copied, because the
 * cloud creates copies in the caller's project.
 */
async function copied(
  engine: Engine,
  scope: ProjectScope,
  id: string,
  action: 'clone' | 'uploadToImage',
): Promise<Volume> {
  const volume = await loadUnlessRefused(engine, volumeReader, scope, id, unlessAllowed(action))
  if (volume.project_id !== scope.project_id) throw problem('storage.volume_of_another_project')
  const [attachment] = volume.attachments
  if (!attachment) return volume
  const isPossible = action === 'clone' ? attachedVolumeCanClone : attachedVolumeCanBeImage
  const refusal = (instance: Instance) =>
    isPossible(instance) ? null : problem('storage.disk_cannot_be_copied', { status: instance.status })
  // if the index does not contain the instance yet, the cloud decides
  await unlessGone(loadUnlessRefused(engine, instanceReader, scope, attachment.server_id, refusal))
  return volume
}

async function cloneVolume(
  engine: Engine,
  scope: ProjectScope,
  id: string,
  { name, size, storage_policy_name: policy }: VolumeCloneDraft,
): Promise<Volume> {
  const cloud = await engine.as(scope)
  const source = await copied(engine, scope, id, 'clone')
  const sizeBytes = size ?? source.size
  if (sizeBytes < source.size) throw fieldProblem('size', 'storage.copy_size')
  const followed = (made: string): TrackedTask => ({
    ...{ name: 'compute.volume.clone', subject: subjectOf({ id: made, name }), until: 'settled', scope },
  })
  const send = (intent: string) => {
    const volume = {
      ...{ name, source_volid: id, size: sizeBytes / GiB, metadata: { [INTENT]: intent } },
      ...(policy !== undefined && { volume_type: policy }),
    }
    return cloud.send('POST', 'volume', '/volumes', z.object({ volume: Made }), { body: { volume } })
  }
  const { volume } = await engine
    .command(followed(''), send, (made) => [followed(made.volume.id)])
    .catch((error: unknown) => {
      throw aboutSize(error)
    })
  return engine.refresh(volumeReader, volume.id)
}

const Uploading = z.object({ 'os-volume_upload_image': z.object({ image_id: z.string() }) })

/** Starts the upload of a volume to a new image, and returns the ID of the image. */
export async function sendUpload(
  cloud: ServiceClient,
  id: string,
  image_name: string,
  force: boolean,
): Promise<string> {
  const upload = { image_name, disk_format: 'raw', container_format: 'bare', force }
  const body = { 'os-volume_upload_image': upload }
  const reply = await cloud.send('POST', 'volume', `/volumes/${id}/action`, Uploading, { body })
  return reply['os-volume_upload_image'].image_id
}

async function uploadToImage(engine: Engine, scope: ProjectScope, id: string, image_name: string): Promise<Image> {
  const cloud = await engine.as(scope)
  const volume = await copied(engine, scope, id, 'uploadToImage')
  const meant = (image: string | null): TrackedTask => ({
    ...{ name: 'compute.volume.upload_to_image', subject: subjectOf(volume), until: 'settled', scope, args: { image } },
  })
  const force = volume.attachments.length > 0
  const send = () => sendUpload(cloud, id, image_name, force)
  const image = await engine
    .command(meant(null), send, (made) => [meant(made)])
    .catch((error: unknown) => {
      throw force ? aboutForce(error) : error
    })
  await engine.refresh(volumeReader, id)
  return engine.refresh(imageReader, image)
}

/**
 * Unless `enable_force_upload` is set, which it is not by default, Cinder ignores `force` and rejects the request
 * because of the volume's status. This explains what the user can actually do.
 */
function aboutForce(error: unknown): unknown {
  if (!(error instanceof Problem) || !/status must be available\.?$/.test(error.message)) return error
  const advice = 'Detach the volume, or clone it and create an image of the clone.'
  return problem('storage.no_image_of_attached', { advice })
}
