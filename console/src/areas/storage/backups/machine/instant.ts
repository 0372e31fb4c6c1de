import type { Instance } from '@mainstay/contract/compute/instances'
import { canBeReplaced } from '@mainstay/contract/protection/machine-restores'
import { backupCan, isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Translate } from '../../../../i18n/use-t'
import { backupStatusText } from '../backup-words'

/* Recovery points that were created together, from which a whole virtual machine is restored. */

type Point = Pick<
  VolumeBackup,
  'id' | 'device' | 'volume_id' | 'volume_name' | 'status' | 'damaged_by' | 'has_dependents'
>

/** Recovery points in the order of their devices. The first one is of the boot volume. */
export const inDeviceOrder = <One extends Pick<Point, 'id' | 'device'>>(points: readonly One[]): One[] =>
  points.toSorted((a, b) => (a.device ?? a.id).localeCompare(b.device ?? b.id))

/** Why the recovery points of a virtual machine are not known yet; undefined if they are. */
export const whyNotKnown = (
  { isLoading, problem }: { isLoading: boolean; problem: unknown },
  t: Translate<'storage'>,
): string | undefined => (problem ? t('backups.machine.unknown') : isLoading ? t('backups.machine.loading') : undefined)

/** Why a virtual machine cannot be restored from these recovery points now; undefined if it can. */
export function whyNotRestorable(points: readonly Point[], t: Translate<'storage'>): string | undefined {
  const damaged = points.find(({ damaged_by }) => damaged_by !== null)
  if (damaged) return t('backups.machine.damaged', { volume: damaged.volume_name })
  const busy = points.find((point) => !isRestorable(point) || !backupCan('restore', point))
  return busy && t('backups.machine.notNow', { volume: busy.volume_name, status: backupStatusText(busy.status, t) })
}

/** Names of the current volumes of a virtual machine that have no recovery point among these. */
export const volumesWithout = (
  points: readonly Pick<Point, 'volume_id'>[],
  machine: Pick<Instance, 'volumes'> | null,
): string[] =>
  (machine?.volumes ?? [])
    .filter(({ id }) => points.every((point) => point.volume_id !== id))
    .map(({ id, name }) => name || id)

/** Why the volumes of a virtual machine cannot be replaced now; undefined if they can. */
export const whyNotReplaced = (
  machine: Pick<Instance, 'status' | 'task_state'>,
  t: Translate<'storage'>,
): string | undefined => (canBeReplaced(machine) ? undefined : t('backups.replace.notNow'))
