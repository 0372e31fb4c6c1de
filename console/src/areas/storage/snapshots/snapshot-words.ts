import { snapshotInProgress, snapshotIsErrored, type SnapshotStatus } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

const statusKeys: Readonly<Record<SnapshotStatus, Key<'storage'>>> = {
  creating: 'snapshots.is.creating',
  available: 'snapshots.is.available',
  restoring: 'snapshots.is.restoring',
  'backing-up': 'snapshots.is.backingUp',
  unmanaging: 'snapshots.is.unmanaging',
  deleting: 'snapshots.is.deleting',
  error: 'snapshots.is.error',
  error_deleting: 'snapshots.is.errorDeleting',
}

export const snapshotStatusText = (status: string, t: Translate<'storage'>): string =>
  status in statusKeys ? t(statusKeys[status as SnapshotStatus]) : status

export function snapshotStatus(snapshot: Pick<VolumeSnapshot, 'status'>, t: Translate<'storage'>): Status {
  const { status } = snapshot
  const text = snapshotStatusText(status, t)
  if (snapshotInProgress(snapshot)) return { tone: 'busy', text }
  if (snapshotIsErrored(snapshot)) return { tone: 'bad', text }
  return { tone: status === 'available' ? 'ok' : 'idle', text }
}

/** Why an action is not available in the current status. */
export const barredByStatus = ({ status }: Pick<VolumeSnapshot, 'status'>, t: Translate<'storage'>): string =>
  t('snapshots.barred', { status: snapshotStatusText(status, t) })
