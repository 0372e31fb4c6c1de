import { engines } from '@mainstay/contract/infrastructure/engines'
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
]

/** Admin pages for engines and the platform. */
export const infrastructureAdminArea: ConsoleArea = { pages }
