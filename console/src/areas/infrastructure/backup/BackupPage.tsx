import { problemText } from '../../../api/problem-text'
import { useT } from '../../../i18n/use-t'
import { Page } from '../../../patterns/Page'
import { PageColumns } from '../../../patterns/PageColumns'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { BackupContents } from './BackupContents'
import { BackupVerdict } from './BackupVerdict'
import { KeptBackups } from './KeptBackups'
import { KeyPanel } from './KeyPanel'
import { PlacePanel } from './PlacePanel'
import { RestoreSteps } from './RestoreSteps'
import { RunDays } from './RunDays'
import { useBackup } from './use-backup'

/** `/infrastructure/backup`: state and settings of the management backup, and the steps to restore one. */
export default function BackupPage() {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const { data, problem, reload } = useBackup()
  return (
    <Page title={t('backup.title')}>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!data && !problem && <Skeleton width="320px" />}
      {data && (
        <PageColumns
          side={
            <>
              <RestoreSteps newest={data.backups[0]} />
              <BackupContents />
            </>
          }
        >
          <BackupVerdict backup={data} />
          {data.runs.length > 0 && <RunDays runs={data.runs} />}
          {(data.ready || data.backups.length > 0) && <KeptBackups backup={data} />}
          <PlacePanel backup={data} />
          <KeyPanel backup={data} />
        </PageColumns>
      )}
    </Page>
  )
}
