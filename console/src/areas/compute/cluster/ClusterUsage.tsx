import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { MiB } from '@mainstay/contract/core/bytes'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Facts } from '../../../patterns/Facts'
import { Panel } from '../../../ui/Panel'
import { Amount } from '../../../ui/values/Bytes'
import { instanceResource } from '../instances/resource'
import { nodePaths } from '../nodes/node-paths'
import { useNodes } from '../nodes/use-nodes'

const everyMs = 30_000

/** What virtual machines use of the cluster. */
export function ClusterUsage() {
  const t = useT('computeCluster')
  const format = useFormat()
  const { data } = useView(computeCluster.stat, {}, { everyMs })
  const { rows } = useNodes()
  if (!data) return null
  const { servers, vcpus, ram, storage } = data
  const used = (amount: { used: number; total: number }, say: (value: number) => string) =>
    t('cluster.used', { used: say(amount.used), total: say(amount.total) })
  return (
    <Panel title={t('cluster.statistics')}>
      <Facts
        rows={[
          [
            t('cluster.nodes'),
            <Link key="nodes" to={nodePaths.list}>
              <Amount of={rows.length} />
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
    </Panel>
  )
}
