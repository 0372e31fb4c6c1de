import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { taskError, taskText } from '../../../notices/task-words'
import { columns } from '../../../patterns/table/columns'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { Mono } from '../../../ui/values/Mono'
import { taskPath, taskStatus } from '../../../patterns/tasks/task-status'
import { TaskDuration } from './TaskDuration'
import css from './TaskListPage.module.css'
import { TaskProgress } from './TaskProgress'
import { TaskSubject } from './TaskSubject'
import { useTaskActions } from './use-task-actions'

const column = columns<Task>('tasks')
const taskColumns = [
  column.node(
    'name',
    'list.task',
    (task, { t, tabIndex }) => (
      <Link to={taskPath(task)} keepsSearch className={css.task} tabIndex={tabIndex}>
        {taskText(task, t)}
      </Link>
    ),
    { width: 260 },
  ),
  column.status('state', 'list.state', taskStatus, { width: 120 }),
  column.node('subject', 'list.object', (task, { tabIndex }) => <TaskSubject task={task} tabIndex={tabIndex} />, {
    width: 150,
    card: 'plain',
  }),
  column.node('progress', 'list.progress', (task, { t }) => <TaskProgress task={task} label={taskText(task, t)} />, {
    width: 110,
  }),
  column.time('created_at', 'list.started', { width: 120 }),
  column.node('duration', 'list.duration', (task) => <TaskDuration task={task} />, { width: 90, isAtEnd: true }),
  column.node(
    'error',
    'list.error',
    (task, { t }) =>
      task.state === 'failed' ? (
        <span className={css.error} title={taskError(task, t)}>
          {taskError(task, t)}
        </span>
      ) : (
        '–'
      ),
    { width: 240 },
  ),
  column.project('project_id'),
  column.time('finished_at', 'list.finished', { isHidden: true }),
  column.node('kind', 'list.kind', ({ name }) => <Mono>{name}</Mono>, { sortKey: 'name', isHidden: true, width: 220 }),
  column.id('id', 'list.id', { isHidden: true }),
]

/** All tasks, newest first, with their state, object and error. */
export default function TaskListPage() {
  const t = useT('tasks')
  const list = useList(tasks.list, taskKind)
  const actions = useTaskActions()

  return (
    <Page title={t('list.title')} isFilled>
      <ResourceTable
        list={list}
        label={t('list.many')}
        columns={taskColumns}
        actions={actions}
        filters={[
          {
            name: 'state',
            label: t('list.state'),
            options: (['starting', 'running', 'cancelling', 'paused', 'success', 'failed', 'cancelled'] as const).map(
              (state) => ({ value: state, label: taskStatus({ state }, t).text }),
            ),
          },
        ]}
        empty={t('list.empty')}
      />
    </Page>
  )
}
