import { backupInProgress } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam } from '../../../../nav/use-param'
import { ActionMenu } from '../../../../patterns/ActionMenu'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Page } from '../../../../patterns/Page'
import type { RowAction } from '../../../../patterns/table/row-action'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { ProgressBar } from '../../../../ui/feedback/ProgressBar'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { backupStatus, backupStatusText } from '../backup-words'
import { BackupFacts } from './BackupFacts'
import css from './BackupPage.module.css'
import { ChainPanel } from './ChainPanel'
import { InstantPanel } from './InstantPanel'
import { volumeBackupResource } from '../resource'
import { useBackupActions } from '../use-backup-actions'
import { VerdictPanel } from './VerdictPanel'

/** `recovery-points/{id}`: the details of a recovery point. */
export default function BackupPage() {
  const t = useT('storage')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(volumeBackups.view, { id }, { kind: volumeBackupKind })
  const { data } = view
  const { actions, verify } = useBackupActions({
    points: data ? [data] : [],
    isDetails: true,
    deleted: () => go(volumeBackupResource.paths.list()),
  })
  const status = data && backupStatus(data, t)
  const menu = data ? actions(data) : []
  return (
    <Page
      title={<bdi>{data?.name ?? t('backups.one')}</bdi>}
      aside={
        status && (
          <StatusBadge tone={status.tone} detail={status.detail}>
            {status.text}
          </StatusBadge>
        )
      }
      actions={
        data &&
        menu.length > 0 && (
          <>
            {menu
              .filter(({ isLikely }) => isLikely)
              .map(({ label, icon, disabledBecause, run }) => (
                <Button
                  key={label}
                  variant="primary"
                  icon={icon}
                  disabledBecause={disabledBecause}
                  onPress={() => run?.()}
                >
                  {label}
                </Button>
              ))}
            <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={menu} />
          </>
        )
      }
    >
      <ViewContent view={view}>{(point) => <Content point={point} verify={verify(point)} />}</ViewContent>
    </Page>
  )
}

function Content({ point, verify }: { point: VolumeBackup; verify: RowAction | undefined }) {
  const t = useT('storage')
  const { fault, progress, status } = point
  return (
    <>
      {fault !== null && (
        <Banner tone="bad" title={t('backups.fault')}>
          {fault}
        </Banner>
      )}
      {backupInProgress(point) && progress !== null && (
        <ProgressBar label={backupStatusText(status, t)} share={progress / 100} />
      )}
      <div className={css.place}>
        <div className={css.grid}>
          <div className={css.column}>
            <ChainPanel point={point} />
            <InstantPanel point={point} />
          </div>
          <div className={css.column}>
            <VerdictPanel point={point} verify={verify} />
            <BackupFacts point={point} />
          </div>
        </div>
      </div>
    </>
  )
}
