import type { BackupPlanRun } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../../i18n/use-t'
import { CellNote } from '../../../patterns/table/SmallTable'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { runResult } from '../plan-words'

/** Failures that are listed with their reasons. */
const MOST = 5

/** The result of a run, with the reasons of its failures by volume. */
export function RunOutcome({ run }: { run: BackupPlanRun }) {
  const t = useT('protection')
  const { created, failures } = run
  const { tone, text } = runResult(run, t)
  const isPartial = run.ended_at !== null && run.error === null && failures.length > 0
  return (
    <>
      {/* the reasons are below, so the first one is not repeated */}
      <StatusBadge tone={tone}>{isPartial ? t('runs.counts', { created, failed: failures.length }) : text}</StatusBadge>
      {failures.slice(0, MOST).map(({ volume_id, volume_name: volume, reason }) => (
        <CellNote key={volume_id}>{t('runs.failure', { volume, reason })}</CellNote>
      ))}
      {failures.length > MOST && <CellNote>{t('runs.more', { count: failures.length - MOST })}</CellNote>}
    </>
  )
}
