import { lazy, Suspense, useState } from 'react'
import { create, read, update } from '@mainstay/contract/core/endpoint'
import { reports, type ReportSettings } from '@mainstay/contract/settings/reports'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Button } from '../../../ui/Button'
import css from '../settings.module.css'
import { ReportList } from './ReportList'
import { ReportSettingsForm } from './ReportSettingsForm'

const ReportProblem = lazy(() => import('../../../patterns/dialogs/ReportProblemDialog'))

/** `/settings/reports`: where problem reports are sent, and the stored reports. */
export default function ReportsPart() {
  const t = useT('reports')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(reports.settings, {})
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: ReportSettings }>()
  const [isReporting, setReporting] = useState(false)
  const values = saved?.values ?? data
  return (
    <>
      <p className={css.intro}>{t('settings.intro')}</p>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!values && !problem && <Skeleton width="320px" />}
      {values &&
        (may(update('settings_reports')) ? (
          <ReportSettingsForm
            key={saved?.count ?? 0}
            values={values}
            onSaved={(reply) => {
              setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
              toast(t('settings.saved'))
            }}
          />
        ) : (
          <SettingsFacts values={values} />
        ))}
      {may(read('reports')) && (
        <ReportList
          action={may(create('reports')) && <Button onPress={() => setReporting(true)}>{t('report.title')}</Button>}
        />
      )}
      <Suspense fallback={null}>{isReporting && <ReportProblem onClose={() => setReporting(false)} />}</Suspense>
    </>
  )
}

/** Read-only settings, for users who cannot edit them. */
function SettingsFacts({ values: { problem } }: { values: ReportSettings }) {
  const t = useT('reports')
  const settings = useT('settings')
  return (
    <>
      <Banner tone="busy">{settings('settings.readOnly')}</Banner>
      <Facts
        rows={[
          [t('settings.sending'), t(problem.sending_enabled ? 'settings.on' : 'settings.off')],
          [t('settings.url'), problem.url === null ? t('settings.url.none') : <bdi key="url">{problem.url}</bdi>],
        ]}
      />
    </>
  )
}
