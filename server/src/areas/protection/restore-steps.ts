import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { RunAgain, StepParts } from '@mainstay/engines/ports/records'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { everyRow } from '../../http/rows/every-row'
import type { RunOf } from '../../tasks/job'
import type { Tools } from '../../tools'

/* Parts of the steps that restore a virtual machine. */

/** Time between looks at work in progress, in ms. */
const LOOK_AGAIN_MS = 1_000

/** What a step returns to look again later at work in progress. */
export const lookAgain = ({ pace }: Pick<Tools, 'pace'>): RunAgain => ({ again: LOOK_AGAIN_MS / pace })

/** What both kinds of restore keep: the volumes that were restored, by the ID of the recovery point. */
export const RestoredVolumes = z.object({
  volumes: z.record(z.string(), z.string()).default({}),
  /** When the first restore began. */
  began: z.string().optional(),
})

/** What a step gets of the run of its task. */
export type Turn = Pick<RunOf<unknown> & StepParts, 'kept' | 'keep' | 'scope'>

/** The recovery points that were created together with this one, in any status. */
export async function createdTogether(
  { inventory }: Pick<Tools, 'inventory'>,
  scope: Scope,
  id: string,
): Promise<VolumeBackup[]> {
  const { instant_id, project_id } = await inventory.view<VolumeBackup>(volumeBackupKind, scope, id)
  const query = { most: 100, instant_id, project_id }
  return (await everyRow<VolumeBackup>({ inventory }, volumeBackupKind, scope, query)).rows
}

/**
 * The recovery points that were created together with this one, in the order of their devices. Throws a problem if one of
 * them cannot be restored.
 */
export async function instantOf(tools: Pick<Tools, 'inventory'>, scope: Scope, id: string): Promise<VolumeBackup[]> {
  const rows = await createdTogether(tools, scope, id)
  const unusable = rows.find((row) => !isRestorable(row) || row.damaged_by !== null)
  if (unusable) {
    const { name, status, damaged_by } = unusable
    throw problem('protection.instant_incomplete', { name, status: damaged_by === null ? status : 'damaged' })
  }
  return rows.toSorted((a, b) => (a.device ?? a.id).localeCompare(b.device ?? b.id))
}

/** Restores recovery points to new volumes, and waits until they can be used. Repeatable. */
export async function restoreVolumes(
  { scope, kept, keep }: Turn,
  tools: Tools,
  { points, nameOf }: { points: readonly VolumeBackup[]; nameOf: (point: VolumeBackup) => string },
): Promise<void | RunAgain> {
  const { inventory, ports } = tools
  const project = scope as ProjectScope
  const { began = new Date().toISOString(), ...earlier } = RestoredVolumes.parse(kept)
  await keep({ began })
  const volumes = { ...earlier.volumes }
  for (const point of points) {
    if (point.id in volumes) continue
    const name = nameOf(point)
    // an interrupted run may have begun it
    const begun = await begunVolume({ inventory }, project, { name, began, taken: Object.values(volumes) })
    volumes[point.id] =
      begun ?? (await ports.storage.volumeBackups.restore(project, point.id, { name })).restored_volume_id
    await keep({ volumes })
  }
  const rows = await inventory.several<Volume>(volumeKind, scope, Object.values(volumes))
  const failed = rows.find(({ status }) => status.startsWith('error'))
  if (failed) throw problem('protection.volume_failed', { name: failed.name, reason: failed.fault ?? '' })
  if (rows.length < points.length || rows.some(({ status }) => status !== 'available')) return lookAgain(tools)
}

/** A volume that this task has begun to restore under this name, and not noted. */
async function begunVolume(
  { inventory }: Pick<Tools, 'inventory'>,
  scope: ProjectScope,
  { name, began, taken }: { name: string; began: string; taken: readonly string[] },
): Promise<string | undefined> {
  const query = { name: `exact:${name}`, sort: 'created_at:desc', limit: 10 }
  const { data } = await inventory.list<Volume>(volumeKind, scope, query)
  const isOurs = ({ id, user_id, created_at, status, attachments }: Volume) =>
    user_id === scope.user_id &&
    created_at >= began &&
    attachments.length === 0 &&
    ['creating', 'available'].includes(status) &&
    !taken.includes(id)
  return data.find(isOurs)?.id
}

/**
 * The recovery points that take the place of the current volumes of a virtual machine, by the ID of the volume: those of
 * the volume itself, or of an earlier one with the same device.
 */
export function matched(
  { volumes }: Pick<Instance, 'volumes'>,
  points: readonly VolumeBackup[],
): Map<string, VolumeBackup> {
  const found = new Map<string, VolumeBackup>()
  for (const { id } of volumes) {
    const own = points.find(({ volume_id }) => volume_id === id)
    if (own) found.set(id, own)
  }
  for (const { id, device } of volumes) {
    const used = [...found.values()]
    const other = points.find((point) => point.device !== null && point.device === device && !used.includes(point))
    if (!found.has(id) && other) found.set(id, other)
  }
  return found
}

/** Deletes the volumes that were restored. Repeatable. */
export async function deleteVolumes({ scope, kept }: Turn, tools: Tools): Promise<void | RunAgain> {
  const { inventory, ports } = tools
  const ids = Object.values(RestoredVolumes.parse(kept).volumes)
  const rows = await inventory.several<Volume>(volumeKind, scope, ids)
  let isWaiting = false
  for (const { id, status, attachments } of rows) {
    if (status === 'deleting') continue
    // a volume that is still being restored or detached is deleted later
    const isSettled = status === 'available' || status.startsWith('error')
    if (!isSettled || attachments.length > 0) isWaiting = true
    else await ports.storage.volumes.delete(scope, id, true).catch(unlessGone)
  }
  if (isWaiting) return lookAgain(tools)
}

export const unlessGone = (error: unknown): void => {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error
}

export const machineOf = async (
  { inventory }: Pick<Tools, 'inventory'>,
  scope: Scope,
  id: string,
): Promise<Instance | undefined> => (await inventory.several<Instance>(instanceKind, scope, [id]))[0]
