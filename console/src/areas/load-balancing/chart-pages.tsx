import { loadBalancerKind, loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerPools, poolKind } from '@mainstay/contract/load-balancing/pools'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useParam } from '../../nav/use-param'
import { ViewContent } from '../../patterns/DrawerPage'
import { Page } from '../../patterns/Page'
import { Traffic } from './Traffic'

/* Pages that contain only charts, for embedding in an iframe (S1§2). */

export function BalancerChartPage() {
  const t = useT('loadBalancing')
  const id = useParam('id')
  const view = useView(loadBalancers.view, { id }, { kind: loadBalancerKind })
  return (
    <Page title={<bdi>{view.data?.name ?? t('balancers.one')}</bdi>}>
      <ViewContent view={view}>{() => <Traffic balancerId={id} />}</ViewContent>
    </Page>
  )
}

export function PoolChartPage() {
  const t = useT('loadBalancing')
  const id = useParam('poolId')
  const view = useView(loadBalancerPools.view, { id }, { kind: poolKind })
  return (
    <Page title={<bdi>{view.data?.name ?? t('pools.one')}</bdi>}>
      <ViewContent view={view}>
        {({ loadbalancer_id: balancer }) => <Traffic balancerId={balancer} poolId={id} />}
      </ViewContent>
    </Page>
  )
}
