import type { ReactNode } from 'react'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { CheckTrace } from '../../../patterns/CheckTrace'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Dialog } from '../../../ui/overlays/Dialog'
import { volumeResource } from '../volumes/resource'
import { TO_VOLUME } from '../volumes/VolumeOfAddress'
import { LostStretch } from './LostStretch'
import css from './RevertDialog.module.css'
import { useRevertChecks } from './use-revert-checks'

interface RevertDialogProps {
  snapshot: VolumeSnapshot
  onClose: () => void
}

/**
 * Reverts a volume to a snapshot, after showing what is lost and whether it is possible. The dialog does not offer to
 * create a snapshot first, because the volume could then be reverted only to the new snapshot.
 */
export function RevertDialog({ snapshot, onClose }: RevertDialogProps) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const format = useFormat()
  const may = useMay()
  const { name, volume_id: volumeId, created_at: created } = snapshot
  const { volume, checks, isChecking, problem } = useRevertChecks(snapshot)
  const revert = useCall(volumeSnapshots.revert, { refresh: [volumeSnapshots.list, volumes.list, volumes.view] })
  const shown = revert.problem ?? problem
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      size="normal"
      title={volume ? t('snapshots.revertTitle', { volume: volume.name, name }) : t('snapshots.revert')}
      onClose={onClose}
      footer={
        <>
          <Button autoFocus onPress={onClose}>
            {patterns('cancel')}
          </Button>
          <Button
            variant="danger"
            isBusy={revert.isPending}
            isDisabled={isChecking}
            disabledBecause={checks.find(({ state }) => state === 'refused')?.title}
            onPress={() => void revert.run({ params: { id: snapshot.id } }).then(onClose, () => undefined)}
          >
            {t('snapshots.revert')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        <LostStretch since={created} />
        <p>{t('snapshots.lostText', { time: format.dateTime(created) })}</p>
        <p>
          {t('snapshots.keepFirst', {
            link: (chunks: ReactNode[]) =>
              may(volumes.clone.needs) ? (
                <Link key="clone" to={volumeResource.paths.below(volumeId, 'clone', TO_VOLUME)}>
                  {chunks}
                </Link>
              ) : (
                <span key="clone">{chunks}</span>
              ),
          })}
        </p>
        <h3 className={css.heading}>{t('snapshots.checks')}</h3>
        <CheckTrace label={t('snapshots.checks')} checks={checks} />
        {shown && <Banner tone="bad">{problemText(shown, shell)}</Banner>}
      </div>
    </Dialog>
  )
}
