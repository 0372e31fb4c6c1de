import { floatingIpKind, floatingIps } from '@mainstay/contract/networking/floating-ips'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { DeviceName } from '../ports/DeviceName'
import { ServiceBanner } from '../ServiceBanner'
import { useNetworks } from '../../../pickers/networking-lists'
import { deviceOf } from './device-of'
import { UnassignedSince } from './UnassignedSince'
import { floatingIpStatus } from './floating-ip-words'
import { floatingIpResource, named, type NamedFloatingIp } from './resource'
import { RouterName } from './RouterName'
import { useFloatingIpActions } from './use-floating-ip-actions'

const column = columns<NamedFloatingIp>('networking')

const floatingIpColumns = [
  column.link('floating_ip_address', 'floatingIps.address', floatingIpResource.paths.view, { width: 160 }),
  column.status('status', 'status', floatingIpStatus as never, { width: 130 }),
  column.node(
    'attached_to',
    'floatingIps.attachedTo',
    (it) => (it.attachment ? <DeviceName port={deviceOf(it)} /> : <UnassignedSince floatingIp={it} />),
    { width: 210, card: 'plain' },
  ),
  column.mono('fixed_ip_address', 'floatingIps.fixed', { width: 140 }),
  column.text('floating_network_name', 'networks.one', { width: 140 }),
  column.node('router_id', 'routers.one', ({ router_id: id }) => <RouterName id={id} />, { width: 130 }),
  column.text('description', 'description', { width: 200 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at'),
  column.ownId(),
]

/** `floating-ips`: the target of each address, or how long it has been unassigned. */
export default function FloatingIpListPage() {
  const t = useT('networking')
  const list = useList(floatingIps.list, floatingIpKind)
  const networks = useNetworks().rows
  const { actions, bulk } = useFloatingIpActions()
  const filters = (say: Translate<'networking'>): ListFilter[] => [
    { name: 'floating_ip_address', label: say('floatingIps.address') },
    {
      name: 'assigned',
      label: say('floatingIps.assigned'),
      operator: 'exact',
      options: ['true', 'false'].map((value) => ({ value, label: say(value === 'true' ? 'yes' : 'no') })),
    },
    {
      ...{ name: 'floating_network_id', label: say('networks.one'), operator: 'exact' },
      options: networks
        .filter(({ router_external }) => router_external)
        .map(({ id, name }) => ({ value: id, label: name })),
    },
    { name: 'fixed_ip_address', label: say('floatingIps.fixed') },
    { name: 'project_id', label: say('project'), operator: 'in' },
  ]
  const rows = list.rows.map(named)
  return (
    <ResourceListPage
      resource={floatingIpResource}
      list={{ ...list, rows, everyMatching: async (signal) => (await list.everyMatching(signal)).map(named) }}
      columns={floatingIpColumns}
      actions={actions}
      bulk={bulk}
      filters={filters(t)}
      tabs={<ServiceBanner />}
    />
  )
}
