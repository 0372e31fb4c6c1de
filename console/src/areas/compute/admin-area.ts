import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import type texts from '../../../locales/en/computeCluster.json'
import type { ConsoleArea } from '../../nav/area'
import { route } from '../../nav/route'
import { resourcePages } from '../../patterns/resource/resource-pages'
import { flavorResource } from './flavors/resource'
import { placementResource, seesPlacements } from './placements/resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    computeCluster: typeof texts
  }
}

const nodePage = { texts: 'computeCluster', panel: 'admin' } as const

/** Cluster, node, flavor and placement pages in the administration panel. */
export const computeAdminArea: ConsoleArea = {
  pages: [
    route('compute/cluster', () => import('./cluster/ClusterPage'), {
      ...nodePage,
      // tenants may read the compute cluster, but only operators may see how it is managed
      needs: computeNodes.list.needs,
      menu: {
        ...{ in: 'compute.cluster', icon: 'OverviewIcon', label: 'menu.computeCluster', service: 'compute' },
        needs: computeNodes.list.needs,
      },
    }),
    route('compute/nodes', () => import('./nodes/NodeListPage'), {
      ...nodePage,
      needs: computeNodes.list.needs,
      menu: { in: 'compute.cluster', icon: 'HostsIcon', label: 'menu.computeNodes', service: 'compute' },
    }),
    route('compute/nodes/$id', () => import('./nodes/NodePage'), {
      ...nodePage,
      needs: computeNodes.view.needs,
      title: 'nodes.title',
      shows: 'compute_node',
    }),
    route('compute/nodes/$id/fence', () => import('./nodes/NodeFenceForm'), {
      ...nodePage,
      needs: computeNodes.fence.needs,
      title: 'nodes.fence',
      over: 'compute/nodes/$id',
    }),
    ...resourcePages(flavorResource, {
      panel: 'admin',
      screens: () => import('./flavors/flavor-screens'),
      list: null,
      view: null,
    }),
    ...resourcePages(placementResource, {
      panel: 'admin',
      screens: () => import('./placements/placement-screens'),
      list: { needs: seesPlacements },
      view: { needs: seesPlacements },
      more: [
        {
          path: '$id/assign/$carrier',
          load: () => import('./placements/PlacementAssignForm'),
          needs: placements.assign.needs,
          title: 'assign',
        },
      ],
    }),
  ],
}
