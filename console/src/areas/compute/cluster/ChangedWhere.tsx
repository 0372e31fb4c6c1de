import { isOfCloud, type ComputeCluster } from '@mainstay/contract/compute/compute-cluster'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Panel } from '../../../ui/Panel'
import { nodePaths } from '../nodes/node-paths'
import css from './cluster.module.css'
import { placementResource } from '../placements/resource'

/** Lists which settings of the cluster can be changed in the console, with links, and which are changed elsewhere. */
export function ChangedWhere({ cluster }: { cluster: ComputeCluster }) {
  const t = useT('computeCluster')
  const { many_nodes, placement_details, backup_target } = cluster.capabilities
  return (
    <>
      <Panel title={t('cluster.changed')}>
        <ul className={css.list}>
          {many_nodes && <Entry to={nodePaths.list}>{t('cluster.place.nodes')}</Entry>}
          <Entry to={nodePaths.list}>{t('cluster.place.fence')}</Entry>
          {placement_details && <Entry to={placementResource.paths.list()}>{t('cluster.place.placements')}</Entry>}
          {backup_target && <Entry to="/infrastructure/recovery-points">{t('cluster.place.backup')}</Entry>}
        </ul>
      </Panel>
      <Panel title={t('cluster.changedElsewhere')}>
        <ul className={css.list}>
          <li>{t('cluster.place.api')}</li>
          {isOfCloud(cluster) && <li>{t('cluster.installer')}</li>}
        </ul>
      </Panel>
    </>
  )
}

const Entry = ({ to, children }: { to: string; children: string }) => (
  <li>
    <Link to={to}>{children}</Link>
  </li>
)
