import { computeCluster, isOfCloud, type ComputeCluster } from '@mainstay/contract/compute/compute-cluster'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { refresh, useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { waitForTask } from '../../../api/wait-for-task'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Page } from '../../../patterns/Page'
import { PageColumns } from '../../../patterns/PageColumns'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import type { Tone } from '../../../ui/tone'
import { ChangedWhere } from './ChangedWhere'
import { ClusterFeatures } from './ClusterFeatures'
import css from './cluster.module.css'
import { ClusterUsage } from './ClusterUsage'

/** Polling interval. The page polls because the cluster sends no event when its status or usage changes. */
const everyMs = 10_000
const tones: Readonly<Record<ComputeCluster['status'], Tone>> = {
  active: 'ok',
  absent: 'idle',
  deploying: 'busy',
  deleting: 'busy',
}
/** Queries to refetch after the cluster has changed. */
const stale = [computeCluster.view, computeCluster.stat, computeNodes.list, computeNodes.view]

/**
 * `/compute/cluster`: status, usage and features of the cluster, and a list of where its other settings are changed.
 */
export default function ClusterPage() {
  const t = useT('computeCluster')
  const view = useView(computeCluster.view, {}, { everyMs })
  const cluster = view.data
  return (
    <Page
      title={t('cluster.title')}
      aside={cluster && <StatusBadge tone={tones[cluster.status]}>{t(`cluster.${cluster.status}`)}</StatusBadge>}
      actions={cluster && <ClusterActions cluster={cluster} />}
    >
      <ViewContent view={view}>{(found) => <Content cluster={found} />}</ViewContent>
    </Page>
  )
}

/**
 * Buttons that deploy or remove the cluster. The cluster of an attached cloud is managed by the cloud's installer, so
 * it has no buttons.
 */
function ClusterActions({ cluster }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const may = useMay()
  const create = useCall(computeCluster.create, { refresh: stale })
  const remove = useCall(computeCluster.delete, { refresh: stale })
  /** Also reloads everything when the task ends. The task's own notification shows the error if it fails. */
  const follow = ({ task_id }: { task_id: string }) =>
    void waitForTask(task_id)
      .catch(() => undefined)
      .finally(() => void refresh(stale))
  if (!cluster.configured || isOfCloud(cluster)) return null
  if (cluster.status === 'absent' && may(computeCluster.create.needs))
    return (
      <Button
        variant="primary"
        isBusy={create.isPending}
        onPress={() => void create.run({ body: {} }).then(follow, notifyError)}
      >
        {t('cluster.deploy')}
      </Button>
    )
  if (cluster.status !== 'active' || !may(computeCluster.delete.needs)) return null
  return (
    <Button
      onPress={() =>
        void confirm({
          title: t('cluster.deleteTitle'),
          text: t('cluster.deleteText'),
          verb: t('cluster.delete'),
          typed: 'compute',
          isDanger: true,
          run: (signal) => remove.run({}, { signal }).then(follow),
        })
      }
    >
      {t('cluster.delete')}
    </Button>
  )
}

function Content({ cluster }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const hasCloud = isOfCloud(cluster)
  if (!cluster.configured) return <Banner tone="warn">{cluster.advice}</Banner>
  return (
    <>
      {cluster.status === 'absent' && (
        <Banner tone="warn">{t(hasCloud ? 'cluster.absentCloud' : 'cluster.absentText')}</Banner>
      )}
      <PageColumns
        side={
          <>
            <Panel title={t('cluster.hypervisor')}>
              <Facts
                rows={[
                  [t('cluster.engine'), cluster.engine],
                  [t('cluster.hypervisor'), cluster.hypervisor],
                  [t('cluster.cpuModel'), cluster.cpu_model ?? t('cluster.unknown')],
                ]}
              />
              {!hasCloud && <p className={css.note}>{t('cluster.cpuModelText')}</p>}
            </Panel>
            <ChangedWhere cluster={cluster} />
          </>
        }
      >
        <ClusterUsage />
        <ClusterFeatures cluster={cluster} />
      </PageColumns>
    </>
  )
}
