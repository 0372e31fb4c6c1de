import type { Task } from '@mainstay/contract/core/tasks'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { isGone, subjectOf } from '../../../notices/task-words'

/** The object that a task acts on, linked to its page unless it was deleted. */
export function TaskSubject({ task, tabIndex }: { task: Task; tabIndex: 0 | -1 }) {
  const subject = subjectOf(task)
  const t = useT('tasks')
  if (!subject) return '–'
  // a bulk run on a single object shows that object's name
  const count = subject.kind === 'bulk_run' ? Number(task.kwargs['count']) : 1
  const name = count > 1 ? t('list.objects', { count }) : subject.name
  const page = viewPath(subject.kind, subject.id)
  if (!page || isGone(task)) return <bdi>{name}</bdi>
  return (
    <Link to={page} tabIndex={tabIndex}>
      {name}
    </Link>
  )
}
