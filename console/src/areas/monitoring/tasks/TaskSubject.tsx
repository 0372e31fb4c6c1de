import type { Task } from '@mainstay/contract/core/tasks'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { subjectOf } from './task-words'

/** What a task is done to, with the way there; what was deleted is only named. */
export function TaskSubject({ task, tabIndex }: { task: Task; tabIndex: 0 | -1 }) {
  const subject = subjectOf(task)
  if (!subject) return '–'
  const page = viewPath(subject.kind, subject.id)
  const isGone = task.name.endsWith('.delete') && task.state === 'success'
  if (!page || isGone) return <bdi>{subject.name}</bdi>
  return (
    <Link to={page} tabIndex={tabIndex}>
      {subject.name}
    </Link>
  )
}
