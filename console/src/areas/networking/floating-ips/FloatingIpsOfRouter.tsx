import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { floatingIpKind, floatingIps } from '@mainstay/contract/networking/floating-ips'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { Mono } from '../../../ui/values/Mono'
import { DeviceName } from '../ports/DeviceName'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { deviceOf } from './device-of'
import { floatingIpResource } from './resource'

/** The floating IPs that a router translates, and their targets. */
export function FloatingIpsOfRouter({ routerId }: { routerId: string }) {
  const t = useT('networking')
  const list = useList(floatingIps.list, floatingIpKind, {
    ...{ stateIn: 'memory', limit: WHOLE_LIMIT, only: { router_id: routerId } },
  })
  if (list.isLoading) return <SkeletonRows rows={3} columns={3} />
  return (
    <SmallTable
      label={t('floatingIps.title')}
      rows={list.rows}
      keyOf={({ id }) => id}
      empty={t('floatingIps.noneOfRouter')}
      columns={[
        {
          id: 'address',
          label: t('floatingIps.address'),
          render: ({ id, floating_ip_address }) => (
            <Link to={floatingIpResource.paths.view(id)}>{floating_ip_address}</Link>
          ),
        },
        { id: 'device', label: t('floatingIps.attachedTo'), render: (it) => <DeviceName port={deviceOf(it)} /> },
        {
          id: 'fixed',
          label: t('floatingIps.fixed'),
          render: ({ fixed_ip_address: fixed }) => (fixed === null ? '–' : <Mono>{fixed}</Mono>),
        },
      ]}
    />
  )
}
