import type { Image } from '@mainstay/contract/compute/images'
import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import { GiB } from '@mainstay/contract/core/bytes'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { volumeIsErrored } from '@mainstay/contract/storage/volume-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import * as z from 'zod'
import type { ProjectScope } from '../../../ports/scope'
import type { VolumeSnapshotsPort } from '../../../ports/storage'
import type { JobRun, RunAgain } from '../../../ports/records'
import type { ServiceClient } from '../../client/service-client'
import { imageReader, WireImage } from '../../compute/images/shape'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { whole } from '../../networking/wire'
import { unlessGone } from '../../read-each'
import { latestMessage } from '../latest-message'
import { isAway } from '../later'
import { INTENT, Made, volumesMadeFor } from '../volumes/act'
import { sendUpload } from '../volumes/copies'
import { discarding } from '../volumes/delete'
import { volumeReader } from '../volumes/shape'
import { untilAvailable, usualPatience, type VolumePatience } from '../volumes/until-available'
import { subjectOf, unlessAllowed } from './act'
import { snapshotReader } from './shape'

/*
 * Cinder can upload only volumes to images. A temporary volume is therefore created from the snapshot, and the ID of
 * the image is known only when its upload begins. The command waits for that, because it has the caller's token: an
 * image uploaded by a task, with the token of the service account, would belong to another project. The intent stays
 * open during these calls. If the server dies before the upload has begun, nothing is created; if it dies afterwards,
 * the upload is tracked. In both cases, a hidden task deletes the volume.
 */

/** How long a task waits for an upload, and then for the deletion of the temporary volume. */
const GIVE_UP_MS = 24 * 60 * 60_000
const LEAVING_MS = 10 * 60_000
/** Cinder's limit for a name, in characters. */
const MAX_NAME = 255

export function snapshotImages(
  engine: Engine,
  patience: VolumePatience = usualPatience,
): Pick<VolumeSnapshotsPort, 'uploadToImage'> {
  engine.registerTaskSteps('compute.volume_snapshot.upload_to_image', uploadSteps(engine, patience))
  return { uploadToImage: (scope, id, name) => uploadToImage(engine, scope, id, name, patience) }
}

interface TemporaryVolume {
  id: string
  name: string
}

/** Tracks the upload of a temporary volume to an image, and deletes the volume. */
const uploading = (
  { subject, scope }: Pick<TrackedTask, 'subject' | 'scope'>,
  volume: TemporaryVolume,
  image: string,
): TrackedTask[] => [
  {
    ...{ name: 'compute.volume_snapshot.upload_to_image', subject, until: 'settled', scope },
    args: { volume: volume.id, image },
  },
  discarding(scope, volume),
]

async function uploadToImage(
  engine: Engine,
  scope: ProjectScope,
  id: string,
  image_name: string,
  patience: VolumePatience,
): Promise<Image> {
  const cloud = await engine.as(scope)
  const snapshot = await loadUnlessRefused(engine, snapshotReader, scope, id, unlessAllowed('copy'))
  if (snapshot.project_id !== scope.project_id) throw problem('storage.volume_of_another_project')
  const meant: TrackedTask = {
    ...{ name: 'compute.volume_snapshot.upload_to_image', subject: subjectOf(snapshot), until: 'settled', scope },
    args: { image_name },
  }
  const begin = async (intent: string) => {
    const volume = await createVolume(cloud, snapshot, intent)
    try {
      await checkAvailable(engine, cloud, volume.id, patience)
      return { volume, image: await sendUpload(cloud, volume.id, image_name, false), failure: null }
    } catch (failure) {
      // after any other error, the cloud may have begun the upload
      if (failure instanceof Problem && failure.status < 500) return { volume, image: null, failure }
      throw failure
    }
  }
  const { volume, image, failure } = await engine.command(meant, begin, (made) =>
    made.image === null ? [discarding(scope, made.volume)] : uploading(meant, made.volume, made.image),
  )
  await unlessGone(engine.refresh(volumeReader, volume.id))
  if (image === null) throw failure
  return engine.refresh(imageReader, image)
}

async function createVolume(
  cloud: ServiceClient,
  { id, name: original, size }: VolumeSnapshot,
  intent: string,
): Promise<TemporaryVolume> {
  const name = `image of ${original}`.slice(0, MAX_NAME)
  const volume = {
    ...{ name, snapshot_id: id, size: size / GiB, metadata: { [INTENT]: intent } },
    description: 'Temporary volume for the creation of an image. It is deleted automatically.',
  }
  const made = await cloud.send('POST', 'volume', '/volumes', z.object({ volume: Made }), { body: { volume } })
  return { id: made.volume.id, name }
}

/** Waits until the temporary volume is available. Throws if it is not. */
async function checkAvailable(
  { reading }: Engine,
  cloud: ServiceClient,
  id: string,
  patience: VolumePatience,
): Promise<void> {
  const outcome = await untilAvailable(cloud, id, patience)
  if (outcome === 'failed') {
    throw problem('storage.snapshot_not_copied', { reason: (await latestMessage(reading, id)) ?? '' })
  }
  if (outcome === 'slow') throw problem('storage.snapshot_copy_slow', { seconds: patience.atMost / 1000 })
}

function uploadSteps(engine: Engine, { look }: VolumePatience): TaskSteps {
  const { reading } = engine

  /** Returns the ID of the image that was uploaded from a temporary volume; null if there is none. */
  async function imageFrom(
    { scope, args }: Pick<JobRun, 'scope' | 'args'>,
    { created_at }: { created_at: string },
  ): Promise<string | null> {
    const query = { owner: scope.project_id ?? '' }
    const rows = await whole(reading.caller.pages('image', '/images', 'images', WireImage, { query }))
    // Glance stores times with a resolution of one second
    const inSeconds = (time: string) => time.slice(0, 19)
    const [first] = rows
      .filter(({ name, owner }) => name === args['image_name'] && owner === scope.project_id)
      .filter((image) => inSeconds(image.created_at) >= inSeconds(created_at))
      .toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))
    return first?.id ?? null
  }

  /** Waits until the image is complete and the temporary volume is deleted. */
  async function follow({ args, state, time, since }: JobRun): Promise<RunAgain | null> {
    const { volume, image } = args as { volume: string; image: string }
    const row = await unlessGone(engine.refresh(imageReader, image))
    if (row && imageInProgress(row.status) && time - since < GIVE_UP_MS) return { again: look }
    if (row?.status !== 'active') {
      throw new Error((await latestMessage(reading, volume)) ?? 'The cloud did not create the image')
    }
    // as long as the volume exists, it may prevent the snapshot from being deleted
    const left = await unlessGone(engine.refresh(volumeReader, volume))
    const completeAt = Number(state['completeAt'] ?? time)
    const isLeaving = left !== null && !volumeIsErrored(left) && time - completeAt < LEAVING_MS
    return isLeaving ? { again: look, state: { completeAt } } : null
  }

  return {
    async find(intent) {
      const [volume] = await volumesMadeFor(engine, intent.task_id)
      const image = volume ? await imageFrom(intent, volume) : null
      return volume && image !== null ? uploading(intent, volume, image) : false
    },
    async undo({ task_id, scope }) {
      for (const volume of await volumesMadeFor(engine, task_id)) {
        await engine.trackToCompletion(discarding(scope, volume))
      }
    },
    async onSettled(job) {
      try {
        return await follow(job)
      } catch (error) {
        if (isAway(error) && job.time - job.since < GIVE_UP_MS) return { again: look, state: job.state }
        throw error
      }
    },
  }
}
