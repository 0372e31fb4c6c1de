import type { ReactNode } from 'react'
import { loadBalancerPools, poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { useView } from '../../../api/use-view'
import { problemText } from '../../../api/problem-text'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Drawer } from '../../../ui/overlays/Drawer'
import { poolPaths } from '../resource'

/** Loads a pool, then renders a form for it, or an error panel if loading fails. */
export function OfPool({ poolId, children }: { poolId: string; children: (pool: LoadBalancerPool) => ReactNode }) {
  const t = useT('loadBalancing')
  const shell = useT('shell')
  const go = useAppNavigate()
  const balancer = useParam('id')
  const { data, problem, reload } = useView(loadBalancerPools.view, { id: poolId }, { kind: poolKind })
  if (data) return children(data)
  if (!problem) return null
  return (
    <Drawer isOpen isModal title={t('pools.edit')} onClose={() => go(poolPaths.list(balancer))}>
      <ErrorPanel title={t('pools.failed')} why={problemText(problem, shell)} id={problem.requestId} onRetry={reload} />
    </Drawer>
  )
}
