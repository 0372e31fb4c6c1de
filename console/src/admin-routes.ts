import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { placements } from '@mainstay/contract/compute/placements'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { flavorResource } from './areas/compute/flavors/resource'
import { placementResource, seesPlacements } from './areas/compute/placements/resource'
import { identityAdminRoutes } from './areas/identity/admin-routes'
import { networkingAdminRoutes } from './areas/networking/admin-routes'
import { settingsRoutes } from './areas/settings/admin-routes'
import { route, type PageRoute } from './nav/route'
import { resourcePages } from './patterns/resource/resource-pages'
import { portalRoutes } from './routes'
import { BucketIcon, MetricsIcon } from './ui/icons'

/** Pages of operators, by the page of the portal that they follow in the table: menus are in its order. */
const ofOperators: Record<string, readonly PageRoute[]> = {
  [`${flavorResource.path}/$id`]: [
    ...resourcePages(flavorResource, {
      panel: 'admin',
      screens: () => import('./areas/compute/flavors/flavor-screens'),
      list: null,
      view: null,
    }),
    ...resourcePages(placementResource, {
      panel: 'admin',
      screens: () => import('./areas/compute/placements/placement-screens'),
      list: { needs: seesPlacements },
      view: { needs: seesPlacements },
      more: [
        {
          path: '$id/assign/$carrier',
          load: () => import('./areas/compute/placements/PlacementAssignForm'),
          needs: placements.assign.needs,
          title: 'assign',
        },
      ],
    }),
  ],
  'compute/networks/reach': networkingAdminRoutes,
  's3-storage/access/create-key': [
    route('s3-service', () => import('./areas/object-storage/operators/ServicePage'), {
      needs: s3Users.list.needs,
      texts: 'objectStorage',
      title: 'title',
      panel: 'admin',
      menu: { group: 'main', icon: BucketIcon, label: 'menu.s3' },
    }),
  ],
  'domains/$id': identityAdminRoutes,
  alerts: [
    route('alerts/rules', () => import('./areas/monitoring/alerts/AlertRuleListPage'), {
      needs: alertRules.list.needs,
      texts: 'alerts',
      title: 'rules',
      panel: 'admin',
    }),
    route('alerts/rules/$id/edit', () => import('./areas/monitoring/alerts/AlertRuleEditForm'), {
      needs: alertRules.save.needs,
      texts: 'alerts',
      title: 'rule.edit',
      panel: 'admin',
      over: 'alerts/rules',
    }),
  ],
  'audit-log/$id': [
    route('engines', () => import('./areas/infrastructure/engines/EngineListPage'), {
      needs: engines.list.needs,
      texts: 'infrastructure',
      title: 'engines.title',
      panel: 'admin',
      menu: { group: 'main', icon: MetricsIcon, label: 'menu.engines' },
    }),
    ...settingsRoutes,
  ],
}

/** Every page of the admin panel, which is every page of the console. */
export const adminRoutes: readonly PageRoute[] = portalRoutes.flatMap((page) => [
  page,
  ...(ofOperators[page.path] ?? []),
])
