import { computeCluster, type ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import { MiB } from '@mainstay/contract/core/bytes'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Panel } from '../../../ui/Panel'
import { Amount } from '../../../ui/values/Bytes'
import { instanceResource } from '../instances/resource'
import { nodePaths } from '../nodes/node-paths'
import { useNodes } from '../nodes/use-nodes'

const everyMs = 30_000

/** Shows how much of the cluster's capacity virtual machines use. */
export function ClusterUsage() {
  const t = useT('computeCluster')
  const stat = useView(computeCluster.stat, {}, { everyMs })
  const nodes = useNodes()
  return (
    <Panel title={t('cluster.statistics')}>
      <ViewContent view={nodes}>
        {({ data }) => <ViewContent view={stat}>{(found) => <Usage nodes={data.length} stat={found} />}</ViewContent>}
      </ViewContent>
    </Panel>
  )
}

function Usage({ nodes, stat: { servers, vcpus, ram, storage } }: { nodes: number; stat: ComputeStat }) {
  const t = useT('computeCluster')
  const format = useFormat()
  const used = (amount: { used: number; total: number }, say: (value: number) => string) =>
    t('cluster.used', { used: say(amount.used), total: say(amount.total) })
  return (
    <Facts
      rows={[
        [
          t('cluster.nodes'),
          <Link key="nodes" to={nodePaths.list}>
            <Amount of={nodes} />
          </Link>,
        ],
        [
          t('cluster.machines'),
          <Link key="machines" to={instanceResource.paths.list()}>
            <Amount of={servers.total} />
          </Link>,
        ],
        [t('cluster.vcpus'), used(vcpus, format.number)],
        [t('cluster.memory'), used(ram, (mebibytes) => format.bytes(mebibytes * MiB))],
        [t('cluster.storage'), used(storage, format.bytes)],
      ]}
    />
  )
}
