import type { Task } from '@mainstay/contract/core/tasks'
import { nodeKind, nodes } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { subjectOf, taskError, taskText } from '../../../../notices/task-words'
import { taskStatus } from '../../../../patterns/tasks/task-status'
import { TaskSteps } from '../../../../patterns/tasks/TaskSteps'
import { Banner } from '../../../../ui/feedback/Banner'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { Mono } from '../../../../ui/values/Mono'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { nodePaths } from '../paths'
import css from './registration.module.css'

/** Shows the steps of a host's registration, and its host key to compare with the key that the host prints. */
export function RegistrationProgress({ task, isWaiting }: { task: Task | undefined; isWaiting: boolean }) {
  const t = useT('nodes')
  const say = useT('tasks')
  if (!task)
    return isWaiting ? (
      <StatusBadge tone="busy">{t('add.waiting')}</StatusBadge>
    ) : (
      <p className={css.dim}>{t('add.notStarted')}</p>
    )
  const { tone, text } = taskStatus(task, say)
  const subject = subjectOf(task)
  return (
    <>
      <StatusBadge tone={tone} detail={text}>
        {taskText(task, say)}
      </StatusBadge>
      {task.state === 'failed' && <Banner tone="bad">{taskError(task, say)}</Banner>}
      {task.steps && <TaskSteps task={task} steps={task.steps} />}
      {subject && task.state === 'success' && (
        <>
          <HostKey id={subject.id} />
          <Link to={nodePaths.view(subject.id)}>{t('add.show', { name: subject.name })}</Link>
        </>
      )}
    </>
  )
}

/** Shell command that prints the fingerprints of a host's SSH keys. */
const FINGERPRINTS = 'for key in /etc/ssh/ssh_host_*.pub; do ssh-keygen -lf $key; done'

function HostKey({ id }: { id: string }) {
  const t = useT('nodes')
  const key = useView(nodes.view, { id }, { kind: nodeKind }).data?.link.host_key
  if (!key) return null
  return (
    <div className={css.key}>
      <span>{t('hostKey')}</span>
      <CopyableCode>{key}</CopyableCode>
      <small>{t('add.compare', { command: <Mono key="command">{FINGERPRINTS}</Mono> })}</small>
    </div>
  )
}
