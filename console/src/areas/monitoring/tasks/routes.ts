import { route } from '../../../nav/route'

export const taskRoutes = [
  route('tasks', () => import('./TaskListPage'), { needs: 'tasks', texts: 'tasks', title: 'list.title' }),
]
