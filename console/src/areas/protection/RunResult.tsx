import type { BackupPlanRun } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../i18n/use-t'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { runResult } from './plan-words'

/** The result of a run, with the reason of the first failure. The tooltip shows a text that does not fit. */
export function RunResult({ run }: { run: BackupPlanRun }) {
  const t = useT('protection')
  const { tone, text } = runResult(run, t)
  return (
    <span title={text}>
      <StatusBadge tone={tone}>{text}</StatusBadge>
    </span>
  )
}
