import { volumeBackupKind } from '@mainstay/contract/storage/volume-backups'
import { backupEstimates, type BackupEstimate } from '@mainstay/contract/protection/backup-estimate'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import css from './SpaceEstimate.module.css'

interface SpaceEstimateProps {
  volumeIds: readonly string[]
  /** Number of recovery points that are kept of each volume; undefined while it is not valid. */
  rotation: number | undefined
  /** Project whose quota is shown. Default: that of the session. */
  projectId?: string | undefined
}

/** The space that the recovery points of a backup plan will use, judged by those of its volumes so far. */
export function SpaceEstimate({ volumeIds, rotation, projectId }: SpaceEstimateProps) {
  const t = useT('protection')
  return (
    <Panel title={t('space.title')}>
      {volumeIds.length === 0 ? (
        <p className={css.note}>{t('space.noVolumes')}</p>
      ) : rotation === undefined ? (
        <p className={css.note}>{t('space.noRotation')}</p>
      ) : (
        <Estimated volumeIds={volumeIds} rotation={rotation} projectId={projectId} />
      )}
    </Panel>
  )
}

function Estimated({ volumeIds, rotation, projectId }: SpaceEstimateProps) {
  const view = useView(
    backupEstimates.estimate,
    {},
    { body: { ids: [...volumeIds].sort(), recovery_points_rotation: rotation }, madeOf: [volumeBackupKind.name] },
  )
  return <ViewContent view={view}>{(estimate) => <Result estimate={estimate} projectId={projectId} />}</ViewContent>
}

function Result({ estimate, projectId }: { estimate: BackupEstimate; projectId: string | undefined }) {
  const t = useT('protection')
  const format = useFormat()
  const { volumes, measured, full_size, increment_size, estimated_size, stored_size } = estimate
  if (estimated_size === null) return <p className={css.note}>{t('space.unknown')}</p>
  return (
    <div className={css.parts}>
      <p className={css.says}>{t('space.says', { size: format.bytes(estimated_size) })}</p>
      <Facts
        rows={[
          [t('space.full'), full_size !== null && <Bytes key="full" of={full_size} />],
          increment_size !== null && [t('space.increment'), <Bytes key="increment" of={increment_size} />],
          [t('space.now'), <Bytes key="now" of={stored_size} />],
        ]}
      />
      <ProjectQuota
        projectId={projectId}
        rows={[{ quota: 'volumes_backups', label: t('space.quota'), added: estimated_size - stored_size }]}
      />
      {measured < volumes && <p className={css.note}>{t('space.partly', { measured, count: volumes })}</p>}
      <p className={css.note}>{t('space.note')}</p>
    </div>
  )
}
