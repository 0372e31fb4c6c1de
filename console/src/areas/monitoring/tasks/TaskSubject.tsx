import type { Task } from '@mainstay/contract/core/tasks'
import { Link } from '../../../nav/Link'
import { paths } from '../../../nav/paths'
import { subjectOf } from './task-words'

const pages: Readonly<Record<string, (id: string) => string>> = {
  server: paths.instances.view,
  image: paths.images.view,
  volume: paths.volumes.view,
  key: paths.sshKeys.view,
}

/** What a task is done to, with the way there; what was deleted is only named. */
export function TaskSubject({ task, tabIndex }: { task: Task; tabIndex: 0 | -1 }) {
  const subject = subjectOf(task)
  if (!subject) return '–'
  const page = pages[subject.kind]
  const isGone = task.name.endsWith('.delete') && task.state === 'success'
  if (!page || isGone) return <bdi>{subject.name}</bdi>
  return (
    <Link to={page(subject.id)} tabIndex={tabIndex}>
      {subject.name}
    </Link>
  )
}
