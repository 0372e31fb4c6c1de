import { loadBalancerKind, loadBalancers, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { useList } from '../../api/use-list'
import { useT, type Translate } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { ResourceListPage } from '../../patterns/resource/ResourceListPage'
import { columns } from '../../patterns/table/columns'
import type { ListFilter } from '../../patterns/table/filter-text'
import { Amount } from '../../ui/values/Bytes'
import { Mono } from '../../ui/values/Mono'
import { networkResource } from '../networking/networks/resource'
import { BalancingBanner } from './BalancingBanner'
import { balancerResource } from './resource'
import { useBalancerActions } from './use-balancer-actions'
import { availability, balancerStatus, balancerStatuses, balancerStatusText } from './words'

const column = columns<LoadBalancer>('loadBalancing')
const balancerColumns = [
  column.link('name', 'name', balancerResource.paths.view, { width: 200 }),
  column.status('status', 'status', (balancer, t) => balancerStatus(balancer, t as never, { isInRow: true }), {
    width: 190,
  }),
  column.node('address', 'balancers.address', ({ address }) => <Mono>{address}</Mono>, { width: 140, card: 'plain' }),
  column.mono('floating_ip', 'balancers.floatingIp', { width: 140, card: 'named' }),
  column.node(
    'members',
    'balancers.members',
    ({ members_healthy: healthy, members_count: count }, { t }) =>
      count === 0 ? null : t('balancers.healthyOf', { healthy, count }),
    { width: 100 },
  ),
  column.node('pools', 'pools.title', ({ pools }) => <Amount of={pools.length} />, { isAtEnd: true, width: 80 }),
  column.node('ha', 'balancers.ha', ({ amphorae }, { t }) => availability(amphorae, t as never), { width: 140 }),
  column.node(
    'network',
    'balancers.network',
    ({ network_id: id, network_name: name }, { tabIndex }) => (
      <Link to={networkResource.paths.view(id)} tabIndex={tabIndex}>
        {name}
      </Link>
    ),
    { width: 150 },
  ),
  column.project('project_id'),
  column.domain('domain_id'),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at', { isHidden: true }),
  column.ownId(),
]

const filters = (t: Translate<'loadBalancing'>): ListFilter[] => [
  {
    name: 'status',
    label: t('status'),
    options: balancerStatuses.map((value) => ({ value, label: balancerStatusText(value, t) })),
  },
  { name: 'name', label: t('name') },
  { name: 'address', label: t('balancers.address') },
  { name: 'project_id', label: t('project'), operator: 'in' },
]

/** `load-balancers`: all load balancers visible to the user. */
export default function BalancerListPage() {
  const t = useT('loadBalancing')
  const list = useList(loadBalancers.list, loadBalancerKind)
  const { actions, bulk } = useBalancerActions()
  return (
    <ResourceListPage
      resource={balancerResource}
      list={list}
      columns={balancerColumns}
      actions={actions}
      bulk={bulk}
      filters={filters(t)}
      tabs={<BalancingBanner />}
    />
  )
}
