import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { PART_LIMIT } from '@mainstay/contract/core/lists/paging'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useList } from '../../../../api/use-list'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { taskError, taskText } from '../../../../notices/task-words'
import { taskPath, taskStatus } from '../../../../patterns/tasks/task-status'
import { Timeline } from '../../../../patterns/Timeline'
import { useMay } from '../../../../session/may'
import { Button } from '../../../../ui/Button'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { LogIcon } from '../../../../ui/icons'
import { RowsOf } from './RowsOf'

/** The tasks of a node, newest first. */
export default function NodeEvents({ node }: { node: Node }) {
  const t = useT('nodes')
  const say = useT('tasks')
  const isReadable = useMay()(tasks.list.needs)
  const list = useList(tasks.list, taskKind, {
    ...{ only: { subject_id: node.id }, stateIn: 'memory', limit: PART_LIMIT, isEnabled: isReadable },
  })
  if (!isReadable) return <EmptyState icon={LogIcon}>{t('events.notAllowed')}</EmptyState>
  return (
    <RowsOf list={list}>
      {list.rows.length === 0 ? (
        <EmptyState icon={LogIcon}>{t('events.none')}</EmptyState>
      ) : (
        <Timeline
          happenings={list.rows.map((task) => {
            const { tone, text } = taskStatus(task, say)
            return {
              ...{ id: task.id, at: task.created_at, tone, title: taskText(task, say), result: text, changes: [] },
              message: task.state === 'failed' ? taskError(task, say) : null,
              by: <By task={task} />,
            }
          })}
        />
      )}
      {list.hasMore && (
        <Button isBusy={list.isLoadingMore} onPress={list.loadMore}>
          {t('events.more')}
        </Button>
      )}
    </RowsOf>
  )
}

/** Shows who started a task and how long it took, with a link to its details. */
function By({ task }: { task: Task }) {
  const t = useT('nodes')
  const format = useFormat()
  const { user_name, created_at, finished_at } = task
  const took = finished_at === null ? 0 : Date.parse(finished_at) - Date.parse(created_at)
  return (
    <>
      {[user_name, took >= 1000 ? format.duration(took) : null].filter(Boolean).map((it) => (
        <span key={it}>
          <bdi>{it}</bdi>
          {' · '}
        </span>
      ))}
      <Link to={taskPath(task)}>{t('events.show')}</Link>
    </>
  )
}
