import { routerKind, routers, type Router } from '@mainstay/contract/networking/routers'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { Amount } from '../../../ui/values/Bytes'
import { Mono } from '../../../ui/values/Mono'
import { networkResource } from '../networks/resource'
import { ServiceBanner } from '../ServiceBanner'
import { networkStatus, networkStatuses, networkStatusText } from '../status-words'
import { useNetworks } from '../../../pickers/networking-lists'
import { externalAddresses } from './router-words'
import { routerResource } from './resource'
import css from './routers.module.css'
import { useRouterActions } from './use-router-actions'

const column = columns<Router>('networking')
const routerColumns = [
  column.link('name', 'name', routerResource.paths.view, { width: 200 }),
  column.status('status', 'status', networkStatus as never, { width: 120 }),
  column.node(
    'external',
    'routers.external',
    ({ external_gateway_info: out }, { tabIndex, t }) =>
      out ? (
        <Link to={networkResource.paths.view(out.network_id)} tabIndex={tabIndex}>
          {out.network_name}
        </Link>
      ) : (
        <span className={css.dim}>{t('routers.noGateway')}</span>
      ),
    { width: 170, card: 'plain' },
  ),
  column.node(
    'address',
    'routers.externalIp',
    (router) => {
      const addresses = externalAddresses(router)
      return addresses.length === 0 ? '–' : addresses.map((it) => <Mono key={it}>{it}</Mono>)
    },
    { width: 150, card: 'plain' },
  ),
  column.node('networks', 'routers.networks', (it) => <Amount of={it.interfaces_info.length} />, {
    isAtEnd: true,
    width: 100,
  }),
  column.node(
    'snat',
    'routers.snat',
    ({ external_gateway_info: out }, { t }) => (out ? t(out.enable_snat ? 'on' : 'off') : null),
    { width: 120 },
  ),
  column.project('project_id'),
  column.domain('domain_id'),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at'),
  column.ownId(),
]

/** `routers`: all visible routers. */
export default function RouterListPage() {
  const t = useT('networking')
  const list = useList(routers.list, routerKind)
  const networks = useNetworks().rows
  const { actions, bulk } = useRouterActions()
  const named = (rows: typeof networks) => rows.map(({ id, name }) => ({ value: id, label: name }))
  const filters = (say: Translate<'networking'>): ListFilter[] => [
    {
      name: 'status',
      label: say('status'),
      options: networkStatuses.map((value) => ({ value, label: networkStatusText(value, say) })),
    },
    { name: 'name', label: say('name') },
    {
      ...{ name: 'external_network_id', label: say('routers.external'), operator: 'exact' },
      options: named(networks.filter(({ router_external }) => router_external)),
    },
    {
      ...{ name: 'network_id', label: say('networks.one'), operator: 'any' },
      options: named(networks.filter(({ router_external }) => !router_external)),
    },
    { name: 'project_id', label: say('project'), operator: 'in' },
  ]
  return (
    <ResourceListPage
      resource={routerResource}
      list={list}
      columns={routerColumns}
      actions={actions}
      bulk={bulk}
      filters={filters(t)}
      tabs={<ServiceBanner />}
    />
  )
}
