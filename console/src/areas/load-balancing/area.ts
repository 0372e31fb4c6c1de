import { create, update } from '@mainstay/contract/core/endpoint'
import type loadBalancing from '../../../locales/en/loadBalancing.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import type * as forms from './forms'
import { balancerResource } from './resource'
import type * as views from './views'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    loadBalancing: typeof loadBalancing
  }
}

const viewOf =
  <Name extends keyof typeof views>(name: Name) =>
  (): Promise<{ default: (typeof views)[Name] }> =>
    import('./views').then(({ [name]: it }) => ({ default: it }))
const formOf =
  <Name extends keyof typeof forms>(name: Name) =>
  (): Promise<{ default: (typeof forms)[Name] }> =>
    import('./forms').then(({ [name]: it }) => ({ default: it }))

const { path, calls } = balancerResource
const one = `${path}/$id`
const texts = { texts: 'loadBalancing' } as const
const toChange = { ...texts, needs: update('compute_lb_pool'), over: one }
const toAdd = { ...texts, needs: create('compute_lb_pools'), title: 'pools.add' } as const

const pages: readonly PageRoute[] = [
  ...resourcePages(balancerResource, {
    list: viewOf('BalancerListPage'),
    add: { path: 'add/{-$step}/{-$poolStep}', load: formOf('BalancerAddPage'), isAlone: true },
    view: { load: viewOf('BalancerPage'), isAlone: true },
    // the last segment names the page to return to
    edit: { path: '$id/edit/{-$returnRoute}', load: formOf('BalancerEditForm') },
    more: [{ path: '$id/$tab', load: tab, needs: calls.view.needs, title: 'one' }],
  }),
  ...['pools/add-pool', 'add-pool'].map((at) => route(`${path}/$id/${at}/{-$step}`, formOf('PoolAddPage'), toAdd)),
  ...['edit', 'edit-pool'].map((at) =>
    route(`${path}/$id/${at}/$poolId/$part`, formOf('PoolPartForm'), { ...toChange, title: 'pools.edit' }),
  ),
  route(`${path}/$id/edit-pool/$poolId`, formOf('PoolEditForm'), { ...toChange, title: 'pools.edit' }),
  route(`${path}/$id/$poolId/$tab`, viewOf('PoolPage'), {
    ...{ ...texts, needs: calls.view.needs, title: 'pools.one', over: one },
  }),
  // chart pages for embedding in other sites
  route(`${path}/$id/details`, viewOf('BalancerChartPage'), {
    ...{ ...texts, needs: calls.view.needs, title: 'balancers.traffic', isFramed: true },
  }),
  route(`${path}/$id/pool/$poolId/details`, viewOf('PoolChartPage'), {
    ...{ ...texts, needs: calls.view.needs, title: 'balancers.traffic', isFramed: true },
  }),
]

/** Load balancer and pool pages (S1§2). */
export const loadBalancingArea: ConsoleArea = { pages }
