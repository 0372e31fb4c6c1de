import { Description, ResourceName } from '@mainstay/contract/core/names'
import type { VolumeSnapshot, VolumeSnapshotChange } from '@mainstay/contract/storage/volume-snapshots'
import * as z from 'zod'

const longestName = 255

const joined = (...parts: number[]) => parts.map((part) => String(part).padStart(2, '0')).join('')
/** Formats the local time as `YYYYMMDD-hhmm`. */
const stampOf = (at: Date) =>
  `${joined(at.getFullYear(), at.getMonth() + 1, at.getDate())}-${joined(at.getHours(), at.getMinutes())}`

/** Proposes a name for a snapshot: the name of its volume, shortened if necessary, and the time. */
export function proposedName(volumeName: string, at: Date = new Date()): string {
  const end = `-${stampOf(at)}`
  return volumeName.slice(0, longestName - end.length) + end
}

export const snapshotForm = z.object({ name: ResourceName, description: Description })
type SnapshotValues = z.output<typeof snapshotForm>

/** Returns only the changed fields, so that concurrent edits to different fields do not overwrite each other. */
export const changeOf = (snapshot: VolumeSnapshot, form: SnapshotValues): VolumeSnapshotChange => ({
  ...(form.name !== snapshot.name && { name: form.name }),
  ...(form.description !== snapshot.description && { description: form.description }),
})
