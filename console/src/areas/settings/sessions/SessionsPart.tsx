import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { MOST_IDLE_MINUTES, SessionSettings, sessionSettings } from '@mainstay/contract/settings/sessions'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { FormBody } from '../../../patterns/form/FormBody'
import { NumberField } from '../../../patterns/form/NumberField'
import { useForm } from '../../../patterns/form/use-form'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import css from '../settings.module.css'

/** `/settings/sessions`: when the console signs out whoever is away. */
export default function SessionsPart() {
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(sessionSettings.view, {})
  // a form that was saved begins anew with what was saved
  const [saved, setSaved] = useState<{ count: number; values: SessionSettings }>()
  const values = saved?.values ?? data
  const mayChange = may(update('settings_sessions'))
  return (
    <>
      <p className={css.intro}>{t('sessions.intro')}</p>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!values && !problem && <Skeleton width="320px" />}
      {values && !mayChange && (
        <>
          <Banner tone="busy">{t('settings.readOnly')}</Banner>
          <Facts rows={[[t('sessions.idle'), t('sessions.minutes', { minutes: values.idle_timeout_minutes })]]} />
        </>
      )}
      {values && mayChange && (
        <SessionsForm
          key={saved?.count ?? 0}
          values={values}
          onSaved={(reply) => {
            setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
            toast(t('sessions.saved'))
          }}
        />
      )}
    </>
  )
}

interface SessionsFormProps {
  values: SessionSettings
  onSaved: (values: SessionSettings) => void
}

function SessionsForm({ values, onSaved }: SessionsFormProps) {
  const t = useT('settings')
  const save = useCall(sessionSettings.save)
  const state = useForm({
    schema: SessionSettings,
    start: values,
    send: (body) => save.run({ body }),
    done: onSaved,
  })
  return (
    <FormBody state={state} id="sessions">
      <fieldset className={css.group}>
        <NumberField
          name="idle_timeout_minutes"
          label={t('sessions.idle')}
          help={t('sessions.idle.help')}
          minValue={0}
          maxValue={MOST_IDLE_MINUTES}
        />
      </fieldset>
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {t('sessions.save')}
        </Button>
      </div>
    </FormBody>
  )
}
