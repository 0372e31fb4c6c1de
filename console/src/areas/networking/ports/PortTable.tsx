import { portKind, ports, type Port } from '@mainstay/contract/networking/ports'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { PortIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import { securityGroupResource } from '../security-groups/resource'
import { networkStatus } from '../status-words'
import { byAddress } from './by-address'
import { DeviceName } from './DeviceName'
import css from './ports.module.css'
import { useGroupNames } from './use-group-names'

interface PortTableProps {
  only: Readonly<Record<string, string>>
  /** Whether to show the network of each port. */
  hasNetwork?: boolean
}

/** Ports and their devices, sorted by address. */
export function PortTable({ only, hasNetwork = false }: PortTableProps) {
  const t = useT('networking')
  const shell = useT('shell')
  const list = useList(ports.list, portKind, { stateIn: 'memory', only, limit: 100 })
  const names = useGroupNames()
  if (list.problem)
    return (
      <ErrorPanel
        title={t('ports.failed')}
        why={problemText(list.problem, shell)}
        id={list.problem.requestId}
        onRetry={list.reload}
      />
    )
  if (list.isLoading) return <SkeletonRows rows={4} columns={4} />
  if (list.rows.length === 0) return <EmptyState icon={PortIcon}>{t('ports.empty')}</EmptyState>
  const columns: SmallColumn<Port>[] = [
    {
      id: 'address',
      label: t('ports.address'),
      render: ({ fixed_ips }) =>
        fixed_ips.length === 0 ? (
          '–'
        ) : (
          <span className={css.names}>
            {fixed_ips.map(({ ip_address }) => (
              <Mono key={ip_address}>{ip_address}</Mono>
            ))}
          </span>
        ),
    },
    { id: 'device', label: t('ports.device'), render: (port) => <DeviceName port={port} /> },
    ...(hasNetwork
      ? [{ id: 'network', label: t('networks.one'), render: ({ network_name }: Port) => <bdi>{network_name}</bdi> }]
      : []),
    {
      id: 'status',
      label: t('status'),
      render: (port) => {
        const { tone, text } = networkStatus(port, t)
        return <StatusBadge tone={tone}>{text}</StatusBadge>
      },
    },
    { id: 'mac', label: t('ports.mac'), isWide: true, render: ({ mac_address }) => <Mono>{mac_address}</Mono> },
    {
      id: 'groups',
      label: t('securityGroups.title'),
      isWide: true,
      render: ({ security_groups }) =>
        security_groups.length === 0 ? (
          '–'
        ) : (
          <span className={css.names}>
            {security_groups.map((id) => (
              <Link key={id} to={securityGroupResource.paths.view(id)}>
                {names.get(id) ?? id.slice(0, 8)}
              </Link>
            ))}
          </span>
        ),
    },
  ]
  return (
    <>
      <SmallTable
        label={t('tab.ports')}
        rows={list.rows.toSorted(byAddress)}
        keyOf={({ id }) => id}
        columns={columns}
      />
      {list.hasMore && (
        <Button variant="plain" isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {t('ports.more')}
        </Button>
      )}
    </>
  )
}
