import { routerKind, routers } from '@mainstay/contract/networking/routers'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { ikeVersions } from '@mainstay/contract/vpn/algorithms'
import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { useList } from '../../api/use-list'
import { useT, type Translate } from '../../i18n/use-t'
import { Link } from '../../nav/Link'
import { ResourceListPage } from '../../patterns/resource/ResourceListPage'
import { columns } from '../../patterns/table/columns'
import type { ListFilter } from '../../patterns/table/filter-text'
import { useMay } from '../../session/may'
import { routerResource } from '../networking/routers/resource'
import { vpnResource } from './resource'
import { useVpnActions } from './use-vpn-actions'
import { VpnBanner } from './VpnBanner'
import { ikeVersionText, vpnStatus, vpnStatuses, vpnStatusText } from './words'
import { Mono } from '../../ui/values/Mono'
import css from './vpn.module.css'

/** Shows the first range and the number of others; the tooltip lists all of them. */
function Ranges({ of: ranges }: { of: readonly string[] }) {
  const t = useT('vpn')
  const [first, ...others] = ranges
  if (first === undefined) return '–'
  return (
    <span title={ranges.join(', ')} className={css.ranges}>
      <Mono>{first}</Mono>
      {others.length > 0 && <span className={css.dim}> {t('more', { count: others.length })}</span>}
    </span>
  )
}

const column = columns<IpsecSiteConnection>('vpn')
const vpnColumns = [
  column.link('name', 'name', vpnResource.paths.view, { width: 200 }),
  column.status('status', 'status', vpnStatus as never, { width: 340 }),
  column.mono('peer_address', 'peerAddress', { width: 150 }),
  column.node('local_subnets', 'side.ours', (it) => <Ranges of={it.local_subnets} />, { width: 150 }),
  column.node('remote_subnets', 'side.theirs', (it) => <Ranges of={it.remote_subnets} />, { width: 150 }),
  column.node(
    'router',
    'router',
    ({ router_id: id, router_name: name }, { tabIndex }) => (
      <Link to={routerResource.paths.view(id)} tabIndex={tabIndex}>
        {name}
      </Link>
    ),
    { width: 130 },
  ),
  column.node('ike_version', 'ike.version', (it, { t }) => ikeVersionText(it.ike_version, t as never), { width: 90 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.time('status_changed_at', 'since', { isHidden: true }),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at', { isHidden: true }),
  column.ownId(),
]

/** `vpn`: all VPN connections visible to the user. */
export default function VpnListPage() {
  const t = useT('vpn')
  const may = useMay()
  const list = useList(ipsecSiteConnections.list, connectionKind)
  const { rows: routerRows } = useList(routers.list, routerKind, {
    ...{ stateIn: 'memory', limit: MAX_LIMIT },
    isEnabled: may(routers.list.needs),
  })
  const { actions, bulk } = useVpnActions()
  const filters = (say: Translate<'vpn'>): ListFilter[] => [
    {
      ...{ name: 'status', label: say('status') },
      options: vpnStatuses.map((value) => ({ value, label: vpnStatusText(value, say) })),
    },
    { name: 'name', label: say('name') },
    { name: 'peer_address', label: say('peerAddress') },
    {
      ...{ name: 'router_id', label: say('router'), operator: 'exact' },
      options: routerRows.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      ...{ name: 'ike_version', label: say('ike.version') },
      options: ikeVersions.map((value) => ({ value, label: ikeVersionText(value, say) })),
    },
    { name: 'project_id', label: say('project'), operator: 'in' },
  ]
  return (
    <ResourceListPage
      resource={vpnResource}
      list={list}
      columns={vpnColumns}
      actions={actions}
      bulk={bulk}
      filters={filters(t)}
      tabs={<VpnBanner />}
    />
  )
}
