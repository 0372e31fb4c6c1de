import { engines } from '@mainstay/contract/infrastructure/engines'
import { route } from '../../../nav/route'
import { MetricsIcon } from '../../../ui/icons'

export const engineRoutes = [
  route('engines', () => import('./EngineListPage'), {
    needs: engines.list.needs,
    texts: 'infrastructure',
    title: 'engines.title',
    menu: { group: 'main', icon: MetricsIcon, label: 'menu.engines' },
  }),
]
