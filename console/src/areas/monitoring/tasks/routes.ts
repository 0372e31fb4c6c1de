import { read } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

export const taskRoutes = [
  route('tasks', () => import('./TaskListPage'), { needs: read('tasks'), texts: 'tasks', title: 'list.title' }),
]
