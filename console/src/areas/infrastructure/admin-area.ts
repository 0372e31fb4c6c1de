import { clusters } from '@mainstay/contract/infrastructure/clusters'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { locations } from '@mainstay/contract/infrastructure/locations'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import type infrastructure from '../../../locales/en/infrastructure.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { withTexts } from '../../nav/with-texts'
import { nodePages } from './nodes/pages'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    infrastructure: typeof infrastructure
  }
}

const pages: readonly PageRoute[] = [
  ...nodePages,
  route(
    'infrastructure/overview',
    withTexts(
      'nodes',
      withTexts('alerts', () => import('./overview/InfrastructureOverview')),
    ),
    {
      needs: clusters.list.needs,
      texts: 'infrastructure',
      panel: 'admin',
      menu: { tabOf: 'monitoring', icon: 'HostsIcon', label: 'menu.infrastructure' },
    },
  ),
  route('infrastructure/locations', () => import('./locations/LocationsPage'), {
    needs: locations.tree.needs,
    texts: 'infrastructure',
    panel: 'admin',
    menu: { in: 'infrastructure', icon: 'LocationIcon', label: 'menu.locations' },
    // a single page shows the whole location tree
    shows: 'location',
  }),
  route('engines', () => import('./engines/EngineListPage'), {
    needs: engines.list.needs,
    texts: 'infrastructure',
    panel: 'admin',
    menu: { in: 'infrastructure', icon: 'MetricsIcon', label: 'menu.engines' },
  }),
  route('infrastructure/backup', () => import('./backup/BackupPage'), {
    needs: managementBackup.view.needs,
    texts: 'infrastructure',
    panel: 'admin',
    menu: { in: 'infrastructure', icon: 'BackupIcon', label: 'menu.backup' },
    // there is only one management backup: its tasks and alerts link to this page
    shows: 'management_backup',
  }),
  route('infrastructure/recovery-points', () => import('./backup-target/BackupTargetPage'), {
    // tenants may read the compute cluster, but only operators may read its settings
    needs: clusters.list.needs,
    texts: 'infrastructure',
    panel: 'admin',
    menu: {
      in: 'infrastructure',
      icon: 'RecoveryIcon',
      label: 'menu.recoveryPointStorage',
      service: 'compute',
      // tenants may read the compute cluster, but only operators may see where recovery points are stored
      needs: computeNodes.list.needs,
    },
    // tasks that change the backup target belong to the compute cluster, so they link to this page
    shows: 'compute_cluster',
  }),
]

/** Admin pages for the overview of the infrastructure, nodes, engines, the platform and recovery point storage. */
export const infrastructureAdminArea: ConsoleArea = { pages }
