import { tasks } from '@mainstay/contract/core/tasks'
import { route } from '../../../nav/route'
import { TasksIcon } from '../../../ui/icons'

export const taskRoutes = [
  route('tasks', () => import('./TaskListPage'), {
    needs: tasks.list.needs,
    texts: 'tasks',
    title: 'list.title',
    menu: { group: 'main', icon: TasksIcon, label: 'menu.tasks' },
  }),
]
