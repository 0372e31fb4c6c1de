import { computeCluster, type ComputeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { waitForTask } from '../../../api/wait-for-task'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Page } from '../../../patterns/Page'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import type { Tone } from '../../../ui/tone'
import { reloadNodes } from '../nodes/use-nodes'
import { ClusterFeatures } from './ClusterFeatures'
import { ClusterUsage } from './ClusterUsage'

/** Polling interval, because the status and the usage change without an event of the cluster. */
const everyMs = 10_000
const tones: Readonly<Record<ComputeCluster['status'], Tone>> = {
  active: 'ok',
  absent: 'idle',
  deploying: 'busy',
  deleting: 'busy',
}

/** `/compute/cluster`: status, usage, features, and where everything else is changed. */
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

/** A cloud's cluster is created and removed by its installer, so it has no actions here. */
const isOwn = ({ engine }: ComputeCluster) => engine === 'embedded'

function ClusterActions({ cluster }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const may = useMay()
  const create = useCall(computeCluster.create)
  const remove = useCall(computeCluster.delete)
  const follow = ({ task_id }: { task_id: string }) =>
    void waitForTask(task_id)
      .catch(() => undefined)
      .finally(() => void reloadNodes())
  if (!isOwn(cluster)) return null
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
          run: () => remove.run({}).then(follow),
        })
      }
    >
      {t('cluster.delete')}
    </Button>
  )
}

function Content({ cluster }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const own = isOwn(cluster)
  const { many_nodes: hasMany, placement_details: hasPlacements, backup_target: hasTarget } = cluster.capabilities
  const here = [
    t('cluster.place.features'),
    t('cluster.place.fence'),
    hasMany && t('cluster.place.nodes'),
    hasPlacements && t('cluster.place.placements'),
    hasTarget && t('cluster.place.backup'),
  ]
  const elsewhere = [t('cluster.place.api'), !own && t('cluster.installer')]
  return (
    <>
      {cluster.status === 'absent' && <Banner tone="warn">{cluster.advice ?? t('cluster.absentText')}</Banner>}
      <ClusterUsage />
      <Panel title={t('cluster.hypervisor')}>
        <Facts
          rows={[
            [t('cluster.engine'), cluster.engine],
            [t('cluster.hypervisor'), cluster.hypervisor],
            [t('cluster.cpuModel'), cluster.cpu_model ?? t('cluster.unknown')],
          ]}
        />
        <p>{t('cluster.cpuModelText')}</p>
      </Panel>
      <ClusterFeatures cluster={cluster} />
      <Panel title={t('cluster.changed')}>
        <Texts of={here} />
      </Panel>
      <Panel title={t('cluster.changedElsewhere')}>
        <Texts of={elsewhere} />
      </Panel>
    </>
  )
}

const Texts = ({ of: texts }: { of: readonly (string | false)[] }) => (
  <ul>{texts.map((text) => text !== false && <li key={text}>{text}</li>)}</ul>
)
