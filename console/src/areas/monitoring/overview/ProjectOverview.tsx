import { Suspense } from 'react'
import { countedIn, quotaNames, type QuotaName } from '@mainstay/contract/all-quotas'
import { instances } from '@mainstay/contract/compute/instances'
import { problemText } from '../../../api/problem-text'
import { useT } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { ChartGrid } from '../../../patterns/charts/ChartGrid'
import { RangeChoice, useRange } from '../../../patterns/charts/RangeChoice'
import { Page } from '../../../patterns/Page'
import { QuotaMeter } from '../../../patterns/QuotaMeter'
import { useQuotas } from '../../../patterns/use-quotas'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { Disclosure } from '../../../ui/Disclosure'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { FirstSteps } from './FirstSteps'
import { MachineStates } from './MachineStates'
import { NeedsAttention } from './NeedsAttention'
import { RecentTasks } from './RecentTasks'
import { useStat } from './use-stat'
import { useUseCharts } from './use-charts'
import { FirstInstance } from '../../compute/first-run/resource'
import { instanceResource } from '../../compute/instances/resource'
import css from './overview.module.css'

/**
 * Overview of one project: virtual machines by state, usage, quotas, and a sidebar with open problems and recent tasks.
 */
export function ProjectOverview() {
  const t = useT('monitoring')
  const shell = useT('shell')
  const may = useMay()
  const project = useSession((session) => session.project)
  const { data, problem, reload } = useStat()
  const [range, setRange] = useRange()
  const charts = useUseCharts()
  const isEmpty = data?.servers.total === 0
  return (
    <Page
      title={t('title')}
      aside={project && <bdi>{project.name}</bdi>}
      actions={
        <AddLink to={instanceResource.paths.add()} needs={instances.create.needs}>
          {t('machines.create')}
        </AddLink>
      }
    >
      <div className={css.overview}>
        <div className={css.main}>
          {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
          {isEmpty &&
            (may(instances.create.needs) ? (
              <Suspense>
                <FirstInstance />
              </Suspense>
            ) : (
              <FirstSteps />
            ))}
          {(data || !problem) && !isEmpty && <MachineStates counts={data?.servers} />}
          {!isEmpty && (
            <section aria-label={t('use')}>
              <header className={css.head}>
                <h2>{t('use')}</h2>
                <RangeChoice range={range} onChange={setRange} />
              </header>
              <ChartGrid charts={charts} range={range} />
            </section>
          )}
          <Quota />
        </div>
        <aside className={css.side}>
          <NeedsAttention />
          <RecentTasks />
        </aside>
      </div>
    </Page>
  )
}

/** Shows quotas as meters. Unused quotas are collapsed. */
function Quota() {
  const t = useT('monitoring')
  const projectId = useSession(({ meta }) => meta?.scope.project_id)
  const { data, isEnabled } = useQuotas(projectId ?? '')
  if (!isEnabled || !data) return null
  const counted = countedIn(data)
  const isUsed = (name: QuotaName) => (counted[name]?.used ?? 0) > 0
  const known = quotaNames.filter((name) => counted[name] !== undefined)
  const unused = known.filter((name) => !isUsed(name))
  const meters = (names: readonly QuotaName[]) => (
    <div className={css.meters}>
      {names.map((name) => (
        <QuotaMeter key={name} name={name} label={t(`quota.${name}`)} quota={counted[name]} added={0} />
      ))}
    </div>
  )
  return (
    <section aria-label={t('quota')} className={css.late}>
      <header className={css.head}>
        <h2>{t('quota')}</h2>
      </header>
      {meters(known.filter(isUsed))}
      {unused.length > 0 && (
        <Disclosure title={t('quota.unused', { count: unused.length })}>{meters(unused)}</Disclosure>
      )}
    </section>
  )
}
