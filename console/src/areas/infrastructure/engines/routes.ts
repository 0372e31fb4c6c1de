import { read } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

export const engineRoutes = [
  route('engines', () => import('./EngineListPage'), {
    needs: read('engines'),
    texts: 'infrastructure',
    title: 'engines.title',
  }),
]
