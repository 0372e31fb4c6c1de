import type { BackupPlanTest } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { CellNote } from '../../../patterns/table/SmallTable'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { volumeBackupResource } from '../../storage/backups/resource'
import { testResult } from '../plan-words'
import { RunTime } from '../schedule/RunTime'

/** The last automatic test restore of a plan: its result, the virtual machine and the time. */
export function PlanTest({ test }: { test: BackupPlanTest }) {
  const t = useT('protection')
  const { tone, text } = testResult(test, t)
  const { point_id: point, server_name: server } = test
  return (
    <>
      <StatusBadge tone={tone}>{text}</StatusBadge>
      {server !== null && (
        <CellNote>
          {point === null ? <bdi>{server}</bdi> : <Link to={volumeBackupResource.paths.view(point)}>{server}</Link>}
        </CellNote>
      )}
      <CellNote>
        <RunTime at={test.at} />
      </CellNote>
    </>
  )
}
