import { Problem, problemOf, withField } from '@mainstay/contract/core/problems'
import { volumeCan, type VolumeAction, whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { JobRun } from '../../../ports/records'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import type { FollowedTask } from '../../followed-tasks'
import { whole } from '../../networking/wire'
import { WireTime } from '../../wire-time'

/* Shared by the volume commands. */

export const subjectOf = ({ id, name }: Pick<Volume, 'id' | 'name'>) => ({ kind: 'volume', id, name })

export const act = (
  cloud: ServiceClient,
  id: string,
  action: Record<string, unknown>,
  version?: string,
): Promise<unknown> =>
  cloud.send('POST', 'volume', `/volumes/${id}/action`, z.void(), { body: action, ...(version && { version }) })

export const unlessAllowed =
  (action: VolumeAction) =>
  (volume: Volume): Problem | null =>
    volumeCan(action, volume) ? null : problemOf(whyVolumeNotNow(volume))

/** Assigns an error about an exceeded storage quota to the size field. */
export const aboutSize = (error: unknown): unknown =>
  error instanceof Problem && error.code === 'quota_exceeded' && error.data['resource'] === 'storage'
    ? withField(error, { field: 'size' })
    : error

/** Metadata key for the ID of the intent, to find a volume if the server dies while creating it. */
export const INTENT = 'mainstay_intent'
export const Made = z.object({ id: z.string() })
const Marked = z.object({
  id: z.string(),
  name: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  created_at: WireTime,
})

/** Returns the volumes that were created for an intent. */
export async function volumesMadeFor(
  { reading }: Engine,
  intent: string,
): Promise<{ id: string; name: string; created_at: string }[]> {
  const query = { all_tenants: 'true', metadata: `{'${INTENT}': '${intent}'}` }
  const rows = await whole(reading.caller.pages('volume', '/volumes/detail', 'volumes', Marked, { query }))
  // older clouds ignore the filter
  return rows
    .filter(({ metadata }) => metadata[INTENT] === intent)
    .map(({ id, name, created_at }) => ({ id, name: name ?? '', created_at }))
}

/** Returns tasks for the volumes that were created for an intent; false if there are none. */
export async function findMade(
  engine: Engine,
  { scope, task_id }: Pick<JobRun, 'scope' | 'task_id'>,
  name: FollowedTask,
  args: Record<string, unknown> = {},
): Promise<TrackedTask[] | false> {
  const made = await volumesMadeFor(engine, task_id)
  const tasks = made.map((volume): TrackedTask => ({ name, subject: subjectOf(volume), until: 'settled', scope, args }))
  return tasks.length > 0 && tasks
}
