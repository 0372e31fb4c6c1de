import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useParam } from '../../../nav/use-param'
import { taskError, taskText } from '../../../notices/task-words'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import OwnerName from '../../../patterns/owners/OwnerName'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { TaskChildren } from './TaskChildren'
import { TaskCode } from './TaskCode'
import { TaskDuration } from './TaskDuration'
import { TaskProgress } from './TaskProgress'
import { TaskQuestion } from './TaskQuestion'
import { TaskSteps } from '../../../patterns/tasks/TaskSteps'
import { TaskSubject } from './TaskSubject'
import { taskStatus } from '../../../patterns/tasks/task-status'
import { useTaskActions } from './use-task-actions'

/** Task details: object, user, steps, progress, question, error, and the request that started the task. */
export default function TaskPage() {
  const t = useT('tasks')
  const format = useFormat()
  const id = useParam('id')
  const view = useView(tasks.view, { id }, { kind: taskKind })
  const actions = useTaskActions()
  return (
    <DrawerPage
      view={view}
      what={t('list.task')}
      title={(task) => taskText(task, t)}
      subtitle={(task) => <StatusBadge tone={taskStatus(task, t).tone}>{taskStatus(task, t).text}</StatusBadge>}
      actions={actions}
      closeTo="/tasks"
    >
      {(task) => (
        <>
          {task.state === 'failed' && <Banner tone="bad">{taskError(task, t)}</Banner>}
          {task.question && <TaskQuestion task={task} question={task.question} />}
          {task.unreachable_node && <Banner tone="warn">{t('page.unreachable')}</Banner>}
          {task.is_pausing && <Banner tone="busy">{t('page.pausing')}</Banner>}
          <Facts
            rows={[
              [t('list.object'), <TaskSubject key="object" task={task} tabIndex={0} />],
              task.finished_at === null && [
                t('list.progress'),
                <TaskProgress key="progress" task={task} label={taskText(task, t)} />,
              ],
              [t('page.by'), task.user_name ?? task.user_id],
              task.project_id !== null && [
                t('page.project'),
                <OwnerName key="project" of="project" id={task.project_id} />,
              ],
              [t('list.started'), format.exact(task.created_at)],
              task.finished_at !== null && [t('list.finished'), format.exact(task.finished_at)],
              [t('list.duration'), <TaskDuration key="duration" task={task} />],
              task.parent_id
                ? [
                    t('page.partOf'),
                    <Link key="parent" to={`/tasks/${encodeURIComponent(task.parent_id)}`}>
                      {t('page.parent')}
                    </Link>,
                  ]
                : null,
              task.err_code ? [t('page.code'), <Mono key="code">{task.err_code}</Mono>] : null,
              task.request_id
                ? [t('page.requestId'), <CopyableCode key="request">{task.request_id}</CopyableCode>]
                : null,
              [t('list.id'), <CopyableCode key="id">{task.id}</CopyableCode>],
            ]}
          />
          <Command of={task} />
          {task.steps && <TaskSteps task={task} steps={task.steps} />}
          <TaskChildren id={task.id} />
          {task.request && <TaskCode request={task.request} />}
          <Disclosure title={t('page.arguments')}>
            {/* task arguments contain no secrets (contract/src/core/tasks.ts) */}
            <CodeBlock label={t('page.arguments')}>
              {JSON.stringify({ args: task.args, kwargs: task.kwargs }, null, 2)}
            </CodeBlock>
          </Disclosure>
        </>
      )}
    </DrawerPage>
  )
}

/** A command that the task asks the operator to run, such as on a host that it could not reach. */
function Command({ of: { result } }: { of: Task }) {
  const t = useT('tasks')
  const command = (result as { command?: unknown } | null)?.command
  if (typeof command !== 'string') return null
  return (
    <>
      <h3>{t('page.command')}</h3>
      <CodeBlock label={t('page.command')}>{command}</CodeBlock>
    </>
  )
}
