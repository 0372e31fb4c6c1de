import { taskIsOver, taskKind, tasks } from '@mainstay/contract/core/tasks'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { taskText } from '../../../notices/task-words'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { taskStatus } from '../../../patterns/tasks/task-status'
import { TaskProgress } from '../tasks/TaskProgress'
import { Panel } from './Panel'
import css from './overview.module.css'

const most = 8

/** Running and recently finished tasks. */
export function RecentTasks() {
  const t = useT('monitoring')
  const words = useT('tasks')
  const { rows, isLoading } = useList(tasks.list, taskKind, { stateIn: 'memory', limit: most })
  return (
    <Panel title={t('tasks')} more={<Link to="/tasks">{t('tasks.all')}</Link>} isLoading={isLoading}>
      {rows.length === 0 && <p className={css.calm}>{t('tasks.none')}</p>}
      <ul className={css.lines}>
        {rows.map((task) => {
          const { tone, text } = taskStatus(task, words)
          return (
            <li key={task.id}>
              <p>
                {taskText(task, words)} <Time at={task.created_at} />
              </p>
              {taskIsOver(task.state) ? (
                <StatusBadge tone={tone}>{text}</StatusBadge>
              ) : (
                <TaskProgress task={task} label={taskText(task, words)} />
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
