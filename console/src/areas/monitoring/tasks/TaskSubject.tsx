import type { Task } from '@mainstay/contract/core/tasks'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { isGone, subjectOf } from '../../../notices/task-words'

/** What a task is done to, with the way there; what was deleted is only named. */
export function TaskSubject({ task, tabIndex }: { task: Task; tabIndex: 0 | -1 }) {
  const subject = subjectOf(task)
  const t = useT('tasks')
  if (!subject) return '–'
  // of a run its name is the number of its objects
  const name = subject.kind === 'bulk_run' ? t('list.objects', { count: Number(subject.name) }) : subject.name
  const page = viewPath(subject.kind, subject.id)
  if (!page || isGone(task)) return <bdi>{name}</bdi>
  return (
    <Link to={page} tabIndex={tabIndex}>
      {name}
    </Link>
  )
}
