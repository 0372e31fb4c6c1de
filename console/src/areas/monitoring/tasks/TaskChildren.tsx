import { taskKind, tasks } from '@mainstay/contract/core/tasks'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { taskText } from '../../../notices/task-words'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import css from './TaskPage.module.css'
import { taskPath, taskStatus } from '../../../patterns/tasks/task-status'

const most = 10

/** A task's latest subtasks, newest first. The task list shows all of them. */
export function TaskChildren({ id }: { id: string }) {
  const t = useT('tasks')
  const { rows, total, hasMore } = useList(tasks.list, taskKind, {
    ...{ stateIn: 'memory', limit: most, only: { parent_id: `exact:${id}` } },
  })
  if (rows.length === 0) return null
  return (
    <section className={css.steps} aria-label={t('page.children')}>
      <h3>{t('page.children')}</h3>
      <ul className={css.children}>
        {rows.slice(0, most).map((task) => {
          const { tone, text } = taskStatus(task, t)
          return (
            <li key={task.id}>
              <Link to={taskPath(task)}>{taskText(task, t)}</Link>
              <StatusBadge tone={tone}>{text}</StatusBadge>
            </li>
          )
        })}
      </ul>
      {(hasMore || rows.length > most) && (
        <Link to={`/tasks?parent_id=exact:${encodeURIComponent(id)}`}>
          {t('page.allChildren', { count: total ?? rows.length })}
        </Link>
      )}
    </section>
  )
}
