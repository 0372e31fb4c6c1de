import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { formatNow } from '../../../../i18n/use-format'
import type { Translate } from '../../../../i18n/use-t'
import type { CheckState } from '../../../../patterns/CheckTrace'

interface Verdict {
  state: CheckState
  title: string
  text: string
}

type Judged = Pick<VolumeBackup, 'status' | 'verified_at' | 'damaged_by' | 'restore_test'>

/** Whether a recovery point can be restored, as far as it is known. `canVerify`: see `useCanVerify`. */
export function verdictOf(point: Judged, canVerify: boolean | undefined, t: Translate<'storage'>): Verdict {
  const { status, verified_at, damaged_by, restore_test } = point
  if (damaged_by !== null)
    return { state: 'refused', title: t('backups.verdict.no'), text: t('backups.verdict.damaged') }
  if (status === 'creating')
    return { state: 'unknown', title: t('backups.verdict.notYet'), text: t('backups.verdict.creating') }
  if (status === 'error') return { state: 'refused', title: t('backups.verdict.no'), text: t('backups.verdict.failed') }
  if (!isRestorable(point))
    return { state: 'unknown', title: t('backups.unknown'), text: t('backups.verdict.deleting') }
  if (restore_test?.result === 'failed')
    return { state: 'refused', title: t('backups.verdict.doubtful'), text: t('backups.verdict.testFailed') }
  if (restore_test?.result === 'confirmed')
    return {
      state: 'passes',
      title: t('backups.verdict.yes'),
      text: t('backups.verdict.tested', { date: formatNow().dateTime(restore_test.at) }),
    }
  if (verified_at !== null)
    return {
      state: 'passes',
      title: t('backups.verdict.yes'),
      text: t('backups.verdict.readBack', { date: formatNow().dateTime(verified_at) }),
    }
  return { state: 'unknown', title: t('backups.verdict.stored'), text: unreadText(canVerify, t) }
}

/** Why the stored files have not been read back. */
export const unreadText = (canVerify: boolean | undefined, t: Translate<'storage'>): string =>
  t(canVerify === false ? 'backups.verdict.cannotVerify' : 'backups.verdict.unread')
