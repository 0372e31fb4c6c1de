import { read } from '@mainstay/contract/core/endpoint'
import { ReportDraft, reports, verbosityLevels, type ReportSettings } from '@mainstay/contract/settings/reports'
import { problemText } from '../../api/problem-text'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useMay } from '../../session/may'
import { toast } from '../../notices/notices'
import { isDomainMode, useSession } from '../../session/session'
import { Checkbox, NumberField, Select, TextArea, TextField } from '../form/form-fields'
import { FormDialog } from '../form/FormDialog'

/** Polling interval that detects when a report started elsewhere has finished. */
const LOOK_MS = 3000

interface ReportProblemDialogProps {
  onClose: () => void
}

/** Reports a problem to the installation's operators. */
export default function ReportProblemDialog({ onClose }: ReportProblemDialogProps) {
  const shell = useT('shell')
  const { data, problem } = useView(reports.settings, {}, { everyMs: LOOK_MS })
  const t = useT('reports')
  if (!data && !problem) return null
  const barred = problem ? problemText(problem, shell) : data?.problem.running ? t('report.running') : undefined
  return <ReportForm isSent={data?.problem.sending_enabled ?? false} barredBecause={barred} onClose={onClose} />
}

interface ReportFormProps extends ReportProblemDialogProps {
  isSent: ReportSettings['problem']['sending_enabled']
  barredBecause: string | undefined
}

function ReportForm({ isSent, barredBecause, onClose }: ReportFormProps) {
  const t = useT('reports')
  const may = useMay()
  const email = useSession(({ user }) => user?.email ?? '')
  // tasks are visible only within a project, and domain mode has none
  const isUntold = useSession(isDomainMode)
  const create = useCall(reports.create, {
    refresh: [reports.settings, reports.list],
    done: () => isUntold && toast(t('report.begun')),
  })
  return (
    <FormDialog
      place="middle"
      title={t('report.title')}
      verb={t('report.verb')}
      schema={ReportDraft}
      start={{
        ...{ contact_email: email, problem_description: '', verbosity_level: 'basic', include_days: 1 },
        ...(isSent && { send: true }),
      }}
      send={(body) => create.run({ body })}
      onClose={onClose}
      barredBecause={barredBecause}
    >
      <p>{t('report.what')}</p>
      <TextField
        name="contact_email"
        label={t('report.contact')}
        help={t('report.contact.help')}
        autoComplete="email"
        autoFocus
      />
      <TextArea
        name="problem_description"
        label={t('report.description')}
        help={t('report.description.help')}
        rows={6}
      />
      {may(read('reports')) && (
        <>
          <Select
            name="verbosity_level"
            label={t('report.verbosity')}
            items={verbosityLevels.map((level) => ({ id: level, label: t(`report.${level}`) }))}
          />
          <NumberField name="include_days" label={t('report.days')} minValue={1} maxValue={30} />
        </>
      )}
      {isSent ? <Checkbox name="send">{t('report.send')}</Checkbox> : <p>{t('report.staysHere')}</p>}
    </FormDialog>
  )
}
