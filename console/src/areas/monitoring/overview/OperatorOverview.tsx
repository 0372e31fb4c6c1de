import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import { MiB } from '@mainstay/contract/core/bytes'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { problemText } from '../../../api/problem-text'
import { addressOf } from '../../../api/address'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ChartGrid } from '../../../patterns/charts/ChartGrid'
import { RangeChoice, useRange } from '../../../patterns/charts/RangeChoice'
import { Page } from '../../../patterns/Page'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Meter } from '../../../ui/feedback/Meter'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { BadIcon, ExternalIcon, OkIcon } from '../../../ui/icons'
import { BusiestMachines } from './BusiestMachines'
import { MachineStates } from './MachineStates'
import { NeedsAttention } from './NeedsAttention'
import { Panel } from './Panel'
import { RecentTasks } from './RecentTasks'
import { useOperatorCharts, useUseCharts } from './use-charts'
import { useStat } from './use-stat'
import css from './overview.module.css'

/** Overview for operators: virtual machines in all projects, host capacity and usage, and platform status. */
export function OperatorOverview() {
  const t = useT('monitoring')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useStat()
  const [range, setRange] = useRange()
  const charts = [...useUseCharts(), ...useOperatorCharts()]
  const seesParts = may(engines.parts.needs)
  const parts = useView(engines.parts, {}, { everyMs: 10_000, isEnabled: seesParts })
  return (
    <Page
      title={t('title')}
      actions={
        parts.data?.has_dashboards && (
          <a
            href={addressOf('/grafana/login', {})}
            target="_blank"
            rel="noreferrer"
            className={buttonClass({ variant: 'quiet' })}
          >
            <ExternalIcon />
            <span>{t('grafana')}</span>
          </a>
        )
      }
    >
      <div className={css.overview}>
        <div className={css.main}>
          {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
          {(data || !problem) && <MachineStates counts={data?.servers} />}
          {(data || !problem) && <HostMeters stat={data} />}
          <section aria-label={t('use')}>
            <header className={css.head}>
              <h2>{t('use')}</h2>
              <RangeChoice range={range} onChange={setRange} />
            </header>
            <ChartGrid charts={charts} range={range} />
          </section>
        </div>
        <aside className={css.side}>
          <NeedsAttention />
          {seesParts && (
            <Panel
              title={t('parts')}
              more={<Link to="/engines">{t('parts.all')}</Link>}
              isLoading={!parts.data && !parts.problem}
            >
              <ul className={css.parts}>
                {parts.data?.data.map(({ name, reachable, message }) => (
                  <li key={name} className={reachable ? css.good : css.bad}>
                    {reachable ? <OkIcon /> : <BadIcon />}
                    <p>
                      {reachable ? (
                        <bdi>{name}</bdi>
                      ) : (
                        <span>{t('parts.away', { part: <bdi key="part">{name}</bdi> })}</span>
                      )}
                    </p>
                    {!reachable && message !== null && <p className={css.why}>{message}</p>}
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          <BusiestMachines />
          <RecentTasks />
        </aside>
      </div>
    </Page>
  )
}

/** Meters for host capacity and usage. */
function HostMeters({ stat }: { stat: ComputeStat | undefined }) {
  const t = useT('monitoring')
  const { bytes } = useFormat()
  const kinds = ['vcpus', 'ram', 'storage'] as const
  return (
    <div className={css.meters}>
      {kinds.map((kind) => {
        // same height as a meter
        if (!stat) return <Skeleton key={kind} height="30px" />
        const unit = kind === 'ram' ? MiB : 1
        const { used, total } = stat[kind]
        const format = kind === 'vcpus' ? undefined : bytes
        return <Meter key={kind} label={t(`quota.${kind}`)} used={used * unit} limit={total * unit} format={format} />
      })}
    </div>
  )
}
