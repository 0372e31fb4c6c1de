import { backupPlanKind, backupPlans, type BackupPlanRun } from '@mainstay/contract/protection/backup-plans'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { ViewContent } from '../../../patterns/DrawerPage'
import { SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import { Panel } from '../../../ui/Panel'
import { RunTime } from '../schedule/RunTime'
import { RunOutcome } from './RunOutcome'

/** The last runs of a plan, the newest first, with the reasons of failures. */
export function PlanRuns({ planId }: { planId: string }) {
  const t = useT('protection')
  const format = useFormat()
  const view = useView(backupPlans.runs, { id: planId }, { kind: backupPlanKind })
  const columns: readonly SmallColumn<BackupPlanRun>[] = [
    { id: 'started', label: t('runs.started'), render: ({ started_at: at }) => <RunTime at={at} /> },
    { id: 'result', label: t('runs.result'), render: (run) => <RunOutcome run={run} /> },
    {
      id: 'took',
      label: t('runs.took'),
      isWide: true,
      isAtEnd: true,
      render: ({ started_at: from, ended_at: to }) =>
        to === null ? '–' : <bdi>{format.duration(Date.parse(to) - Date.parse(from))}</bdi>,
    },
    {
      id: 'by',
      label: t('runs.by'),
      isWide: true,
      render: ({ scheduled }) => t(scheduled ? 'runs.bySchedule' : 'runs.byUser'),
    },
  ]
  return (
    <Panel title={t('runs.title')} isFlush={view.data !== undefined}>
      <ViewContent view={view}>
        {(runs) => (
          <SmallTable
            label={t('runs.title')}
            rows={runs}
            keyOf={({ started_at }) => started_at}
            columns={columns}
            empty={t('runs.empty')}
          />
        )}
      </ViewContent>
    </Panel>
  )
}
