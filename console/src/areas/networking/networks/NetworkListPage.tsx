import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { routers } from '@mainstay/contract/networking/routers'
import { topology } from '@mainstay/contract/networking/topology'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT, type Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { TopologyIcon } from '../../../ui/icons'
import { topologyPath } from '../topology/path'
import { ServiceBanner } from '../ServiceBanner'
import { networkStatuses, networkStatusText } from '../status-words'
import { useRouters } from '../../../pickers/networking-lists'
import { useNetworkService } from '../../../pickers/use-network-service'
import { AddressPlanView } from './AddressPlanView'
import { networkColumns } from './network-columns'
import type { NetworkRow } from './network-row'
import { networkTypes, typeKeys } from './network-words'
import { networkResource } from './resource'
import { useNetworkActions } from './use-network-actions'

const filters = (t: Translate<'networking'>): ListFilter[] => [
  {
    name: 'status',
    label: t('status'),
    options: networkStatuses.map((value) => ({ value, label: networkStatusText(value, t) })),
  },
  {
    name: 'router_external',
    label: t('networks.type'),
    operator: 'exact',
    options: networkTypes.map((type) => ({ value: String(type === 'external'), label: t(typeKeys[type]) })),
  },
  {
    name: 'ipam_enabled',
    label: t('networks.ipam'),
    operator: 'exact',
    options: ['true', 'false'].map((value) => ({ value, label: t(value === 'true' ? 'yes' : 'no') })),
  },
  { name: 'name', label: t('name') },
  { name: 'cidr', label: t('networks.subnets'), operator: 'any' },
  { name: 'project_id', label: t('project'), operator: 'in' },
]

/** `networks`: all visible networks, below the project's address plan. */
export default function NetworkListPage() {
  const t = useT('networking')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const list = useList(networks.list, networkKind)
  const { data: service } = useNetworkService()
  const use = useView(networks.addressUse, {}, { kind: networkKind, isEnabled: may(networks.addressUse.needs) })
  const routerList = useRouters(may(routers.list.needs))
  const { actions, bulk } = useNetworkActions()
  const rows = list.rows.map((network): NetworkRow => ({
    ...network,
    use: use.data?.data.filter(({ network_id }) => network_id === network.id) ?? [],
    routers: routerList.rows.filter(({ interfaces_info }) =>
      interfaces_info.some(({ network_id }) => network_id === network.id),
    ),
  }))
  const toTopology = may(topology.view.needs) && (
    <Link to={topologyPath} className={buttonClass({ variant: 'quiet' })}>
      <TopologyIcon />
      <span>{t('topology.show')}</span>
    </Link>
  )
  return (
    <ResourceListPage
      resource={networkResource}
      list={{ ...list, rows, everyMatching: async (signal) => withoutRest(await list.everyMatching(signal)) }}
      columns={networkColumns(service?.capabilities, isAllTenants)}
      actions={actions}
      bulk={bulk}
      filters={filters(t)}
      links={toTopology}
      tabs={
        <>
          <ServiceBanner />
          {!isAllTenants && <AddressPlanView />}
        </>
      }
    />
  )
}

const withoutRest = (rows: readonly Network[]): NetworkRow[] => rows.map((it) => ({ ...it, use: [], routers: [] }))
