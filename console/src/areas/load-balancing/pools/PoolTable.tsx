import { MAX_POOLS, type LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerPools, poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { AddLink } from '../../../patterns/AddLink'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { LoadBalancerIcon } from '../../../ui/icons'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { CellNote, SmallTable } from '../../../patterns/table/SmallTable'
import { poolPaths } from '../resource'
import { algorithmKeys, balancerStatus, forwardingText, monitorText } from '../words'
import { usePoolActions } from './use-pool-actions'

/** A load balancer's pools with their forwarding and member health. */
export function PoolTable({ balancer: { id } }: { balancer: LoadBalancer }) {
  const t = useT('loadBalancing')
  const shell = useT('shell')
  const patterns = useT('patterns')
  const actions = usePoolActions()
  const list = useList(loadBalancerPools.list, poolKind, {
    ...{ stateIn: 'memory', limit: MAX_POOLS, only: { loadbalancer_id: id } },
  })
  if (list.problem)
    return (
      <ErrorPanel
        title={t('pools.failedMany')}
        why={problemText(list.problem, shell)}
        id={list.problem.requestId}
        onRetry={list.reload}
      />
    )
  if (list.isLoading) return <SkeletonRows rows={3} columns={5} />
  if (list.rows.length === 0)
    return (
      <EmptyState
        icon={LoadBalancerIcon}
        action={
          <AddLink to={poolPaths.add(id)} needs={loadBalancerPools.create.needs} isQuiet>
            {t('pools.add')}
          </AddLink>
        }
      >
        {t('pools.none')}
      </EmptyState>
    )
  const status = (pool: LoadBalancerPool) => {
    const { tone, text } = balancerStatus(pool, t, { isInRow: true })
    return <StatusBadge tone={tone}>{text}</StatusBadge>
  }
  return (
    <SmallTable
      label={t('pools.title')}
      rows={list.rows}
      keyOf={(pool) => pool.id}
      columns={[
        {
          id: 'name',
          label: t('name'),
          render: (pool) => (
            <>
              <Link to={poolPaths.view(id, pool.id, 'members')}>{pool.name}</Link>
              <CellNote>{forwardingText(pool, t)}</CellNote>
            </>
          ),
        },
        { id: 'status', label: t('status'), render: status },
        {
          id: 'algorithm',
          label: t('pools.algorithm'),
          render: ({ lb_algorithm: algorithm }) => t(algorithmKeys[algorithm]),
          isWide: true,
        },
        {
          id: 'check',
          label: t('monitor.title'),
          render: ({ healthmonitor: monitor }) => (monitor ? monitorText(monitor, t) : t('monitor.none')),
          isWide: true,
        },
        {
          id: 'members',
          label: t('members.title'),
          render: ({ members_healthy: healthy, members_count: count }) =>
            count === 0 ? '–' : t('balancers.healthyOf', { healthy, count }),
          // the status column already reports unhealthy members
          isWide: true,
        },
        {
          id: 'actions',
          render: (pool) => (
            <ActionMenu label={patterns('table.actionsOf', { name: pool.name })} items={actions(pool)} />
          ),
          isAtEnd: true,
        },
      ]}
    />
  )
}
