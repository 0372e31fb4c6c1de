import { volumeInProgress, volumeIsErrored, type VolumeStatus } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { Key } from '../../../i18n/catalogues'
import { formatNow } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

const statusKeys: Readonly<Record<VolumeStatus, Key<'storage'>>> = {
  creating: 'volumes.is.creating',
  available: 'volumes.is.available',
  reserved: 'volumes.is.reserved',
  attaching: 'volumes.is.attaching',
  detaching: 'volumes.is.detaching',
  'in-use': 'volumes.is.inUse',
  maintenance: 'volumes.is.maintenance',
  deleting: 'volumes.is.deleting',
  'awaiting-transfer': 'volumes.is.awaitingTransfer',
  error: 'volumes.is.error',
  error_deleting: 'volumes.is.errorDeleting',
  'backing-up': 'volumes.is.backingUp',
  'restoring-backup': 'volumes.is.restoring',
  'error_backing-up': 'volumes.is.errorBackingUp',
  error_restoring: 'volumes.is.errorRestoring',
  error_extending: 'volumes.is.errorExtending',
  downloading: 'volumes.is.downloading',
  uploading: 'volumes.is.uploading',
  retyping: 'volumes.is.retyping',
  extending: 'volumes.is.extending',
  reverting: 'volumes.is.reverting',
}

export const volumeStatusText = (status: string, t: Translate<'storage'>): string =>
  status in statusKeys ? t(statusKeys[status as VolumeStatus]) : status

/** A volume's status, with the progress of any running operation (product notes 02, A3). */
export function volumeStatus(volume: Pick<Volume, 'status' | 'progress'>, t: Translate<'storage'>): Status {
  const { status, progress } = volume
  const text = volumeStatusText(status, t)
  if (volumeInProgress(volume))
    return { tone: 'busy', text, detail: progress ? formatNow().percent(progress / 100, 0) : undefined }
  if (volumeIsErrored(volume)) return { tone: 'bad', text }
  return { tone: status === 'available' || status === 'in-use' ? 'ok' : 'idle', text }
}
