import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { taskKind, tasks } from '@mainstay/contract/core/tasks'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import { Link } from '../../../nav/Link'
import { taskError, taskText } from '../../../notices/task-words'
import { BadIcon, OkIcon } from '../../../ui/icons'
import { Time } from '../../../ui/values/Time'
import { TaskSubject } from '../tasks/TaskSubject'
import { Panel } from './Panel'
import { instanceResource } from '../../compute/instances/resource'
import css from './overview.module.css'

const most = 5
const failedSinceMs = 24 * 3600 * 1000

/** What went wrong, with the way to what can be done about it; one calm line where nothing did. */
export function NeedsYou() {
  const t = useT('monitoring')
  const words = useT('tasks')
  const broken = useList(instances.list, instanceKind, {
    ...{ stateIn: 'memory', limit: most },
    only: { status: 'ERROR' },
  })
  const failed = useList(tasks.list, taskKind, { stateIn: 'memory', limit: most, only: { state: 'failed' } })
  const now = useNow()
  const recent = failed.rows.filter(({ created_at }) => now - Date.parse(created_at) < failedSinceMs)
  const isCalm = broken.rows.length === 0 && recent.length === 0
  return (
    <Panel title={t('needs')} isLoading={broken.isLoading || failed.isLoading}>
      {isCalm ? (
        <p className={css.calm}>
          <OkIcon /> {t('needs.nothing')}
        </p>
      ) : (
        <ul className={css.lines}>
          {broken.rows.map(({ id, name, fault, updated }) => (
            <li key={id} className={css.bad}>
              <BadIcon />
              <p>
                <Link to={instanceResource.paths.view(id)}>{name}</Link> <Time at={updated} />
              </p>
              <p className={css.why}>{fault?.message ?? t('needs.error')}</p>
            </li>
          ))}
          {recent.map((task) => (
            <li key={task.id} className={css.bad}>
              <BadIcon />
              <p>
                {taskText(task, words)} <Time at={task.created_at} />
              </p>
              <p className={css.why}>
                {taskError(task, words)} <TaskSubject task={task} tabIndex={0} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
