import { computeCluster, type ComputeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { RecoveryIcon } from '../../../ui/icons'
import css from '../backup/backup.module.css'
import { TargetPanel } from './TargetPanel'
import { TargetState } from './TargetState'

/** Polling interval. The page polls because no event reports changes in free space or errors. */
const everyMs = 60_000

/** `/infrastructure/recovery-points`: the storage of recovery points and its settings. */
export default function BackupTargetPage() {
  const t = useT('infrastructure')
  const view = useView(computeCluster.view, {}, { everyMs })
  return (
    <Page title={t('target.title')}>
      <ViewContent view={view}>{(cluster) => <Content cluster={cluster} />}</ViewContent>
    </Page>
  )
}

function Content({ cluster: { options, capabilities } }: { cluster: ComputeCluster }) {
  const t = useT('infrastructure')
  const may = useMay()
  const isOperator = useIsAllTenants()
  const { backup: target } = options
  // the server shows the target only to operators outside a project
  if (target === null)
    return <EmptyState icon={RecoveryIcon}>{t(isOperator ? 'target.noStorage' : 'target.onlyOperators')}</EmptyState>
  if (target.driver === null) return <EmptyState icon={RecoveryIcon}>{t('target.byCloud')}</EmptyState>
  return (
    <div className={css.column}>
      <TargetState target={target} />
      {capabilities.backup_target && may(computeCluster.update.needs) && <TargetPanel target={target} />}
    </div>
  )
}
