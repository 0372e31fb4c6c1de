import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { alertKind, alerts, type Alert } from '@mainstay/contract/monitoring/alerts'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { adviceText, alertTitle, byRule } from '../../../notices/alert-words'
import { openAlerts } from '../../../notices/open-alerts'
import { subjectOf, taskError, taskText } from '../../../notices/task-words'
import { useMay } from '../../../session/may'
import { BadIcon, OkIcon } from '../../../ui/icons'
import { Time } from '../../../ui/values/Time'
import { AlertObject } from '../alerts/AlertObject'
import { Severity } from '../alerts/Severity'
import { TaskSubject } from '../tasks/TaskSubject'
import { Panel } from './Panel'
import css from './overview.module.css'

const mostAlerts = 100
const mostTasks = 5
const mostNames = 5
const failedSinceMs = 24 * 3600 * 1000
/** Polling intervals before and after the rules have been evaluated. */
const checkEveryMs = { first: 2000, afterwards: 60_000 }

/** Open alerts grouped by rule, the most severe first, with advice, followed by recently failed tasks. */
export function NeedsAttention() {
  const t = useT('monitoring')
  const words = useT('alerts')
  const shell = useT('shell')
  const maySeeAlerts = useMay()(alerts.list.needs)
  const open = useList(alerts.list, alertKind, {
    ...{ stateIn: 'memory', limit: mostAlerts, isEnabled: maySeeAlerts, only: openAlerts },
  })
  const isChecked = useIsChecked(maySeeAlerts)
  const failed = useList(tasks.list, taskKind, { stateIn: 'memory', limit: mostTasks, only: { state: 'failed' } })
  const now = useNow()
  const told = new Set(open.rows.map(({ object_id }) => object_id))
  // skip failed tasks on objects that already have an alert
  const recent = failed.rows.filter(
    (task) => now - Date.parse(task.created_at) < failedSinceMs && !told.has(subjectOf(task)?.id ?? ''),
  )
  const problem = open.problem ?? failed.problem
  const isCalm = open.rows.length === 0 && recent.length === 0 && !problem
  return (
    <Panel
      title={t('needs')}
      more={
        maySeeAlerts && (
          <Link to="/alerts" search={{ groupBy: 'type' }}>
            {words('all')}
          </Link>
        )
      }
      isLoading={(maySeeAlerts && open.isLoading) || failed.isLoading}
    >
      {problem && <p className={css.calm}>{problemText(problem, shell)}</p>}
      {isCalm && !isChecked && <p className={css.calm}>{words('checking')}</p>}
      {isCalm && isChecked && (
        <p className={css.calm}>
          <OkIcon /> {t('needs.nothing')}
        </p>
      )}
      <ul className={css.lines}>
        {byRule(open.rows).map((group) => (
          <Cause key={group[0]!.type} group={group} />
        ))}
        {recent.map((task) => (
          <FailedTask key={task.id} task={task} />
        ))}
      </ul>
    </Panel>
  )
}

/**
 * Whether the rules have been evaluated. Until then, the absence of alerts does not mean that there are no problems.
 */
function useIsChecked(mayRead: boolean): boolean {
  const first = useView(alerts.evaluation, {}, { isEnabled: mayRead, everyMs: checkEveryMs.afterwards })
  const isChecked = !mayRead || first.data?.is_current === true
  useView(alerts.evaluation, {}, { isEnabled: !isChecked, everyMs: checkEveryMs.first })
  return isChecked
}

/** Open alerts from one rule. A single alert shows its details; several show the names of the affected objects. */
function Cause({ group }: { group: readonly Alert[] }) {
  const t = useT('alerts')
  const [{ type, severity, datetime, details, object_kind, object_id }] = group as [Alert]
  const isOne = group.length === 1
  const page = isOne ? viewPath(object_kind, object_id) : undefined
  const title = alertTitle(group)
  const more = group.length - mostNames
  return (
    <li>
      <p>
        <Severity severity={severity} /> <Time at={datetime} />
      </p>
      <p>{page ? <Link to={page}>{title}</Link> : title}</p>
      {!isOne && (
        <ul className={css.names}>
          {group.slice(0, mostNames).map((alert) => (
            <li key={alert.id}>
              <AlertObject alert={alert} />
            </li>
          ))}
          {more > 0 && (
            <li>
              <Link to="/alerts" search={{ state: 'in:raised', type: `in:${type}` }}>
                {t('more', { count: more })}
              </Link>
            </li>
          )}
        </ul>
      )}
      {isOne && details !== null && <p className={css.why}>{details}</p>}
      <p className={css.why}>{adviceText(type)}</p>
    </li>
  )
}

function FailedTask({ task }: { task: Task }) {
  const t = useT('tasks')
  return (
    <li className={css.bad}>
      <BadIcon />
      <p>
        {taskText(task, t)} <Time at={task.created_at} />
      </p>
      <p className={css.why}>
        {taskError(task, t)} <TaskSubject task={task} tabIndex={0} />
      </p>
    </li>
  )
}
