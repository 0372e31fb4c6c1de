import { engines } from '@mainstay/contract/infrastructure/engines'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import type infrastructure from '../../../locales/en/infrastructure.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    infrastructure: typeof infrastructure
  }
}

const pages: readonly PageRoute[] = [
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
    // there is only one: its tasks and alerts link to this page
    shows: 'management_backup',
  }),
]

/** Admin pages for engines and the platform. */
export const infrastructureAdminArea: ConsoleArea = { pages }
