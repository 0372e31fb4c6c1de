import { engines } from '@mainstay/contract/infrastructure/engines'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Page } from '../../../patterns/Page'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { EngineFacts, PlatformFacts } from './EngineFacts'

const lookEveryMs = 5_000

/** `/engines`: all engines with their list delay, and the platform status. */
export default function EngineListPage() {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const { data, problem, reload } = useView(engines.list, {}, { everyMs: lookEveryMs })
  const platform = useView(engines.parts, {}, { everyMs: lookEveryMs })
  return (
    <Page title={t('engines.title')}>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!data && !problem && <Skeleton width="320px" />}
      {data?.data.map((engine) => (
        <EngineFacts key={engine.name} engine={engine} />
      ))}
      {platform.data && <PlatformFacts parts={platform.data.data} node={platform.data.node} />}
    </Page>
  )
}
