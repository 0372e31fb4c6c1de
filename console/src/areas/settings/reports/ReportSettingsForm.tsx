import { useId } from 'react'
import * as z from 'zod'
import { reports, ReportSettingsChange, type ReportSettings } from '@mainstay/contract/settings/reports'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormBody } from '../../../patterns/form/FormBody'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { useForm } from '../../../patterns/form/use-form'
import { Button } from '../../../ui/Button'
import css from '../settings.module.css'

/** An empty field keeps the saved secret; a checkbox removes it. */
const Form = ReportSettingsChange.extend({ remove: z.object({ token: z.boolean(), ca: z.boolean() }) })

function bodyOf({ problem, remove }: z.output<typeof Form>): ReportSettingsChange {
  const { token, ca, ...rest } = problem
  return {
    problem: {
      ...rest,
      ...(remove.token ? { token: '' } : token ? { token } : {}),
      ...(remove.ca ? { ca: '' } : ca ? { ca } : {}),
    },
  }
}

interface ReportSettingsFormProps {
  values: ReportSettings
  onSaved: (saved: ReportSettings) => void
}

/** Settings for whether and where problem reports are sent. */
export function ReportSettingsForm({ values: { problem }, onSaved }: ReportSettingsFormProps) {
  const t = useT('reports')
  const id = useId()
  const save = useCall(reports.saveSettings, { refresh: [reports.settings] })
  const state = useForm({
    schema: Form,
    start: {
      problem: { sending_enabled: problem.sending_enabled, url: problem.url ?? '', token: '', ca: '' },
      remove: { token: false, ca: false },
    },
    send: (form) => save.run({ body: bodyOf(form) }),
    done: onSaved,
  })
  return (
    <FormBody state={state} id={id}>
      <fieldset className={css.group}>
        <Checkbox name="problem.sending_enabled">{t('settings.sending')}</Checkbox>
        <TextField name="problem.url" label={t('settings.url')} help={t('settings.url.help')} isMono />
        <PasswordField
          name="problem.token"
          label={t('settings.token')}
          autoComplete="new-password"
          help={t(problem.has_token ? 'settings.token.kept' : 'settings.token.help')}
        />
        {problem.has_token && <Checkbox name="remove.token">{t('settings.token.remove')}</Checkbox>}
        <TextArea
          name="problem.ca"
          label={t('settings.ca')}
          help={t(problem.has_ca ? 'settings.ca.kept' : 'settings.ca.help')}
          isMono
        />
        {problem.has_ca && <Checkbox name="remove.ca">{t('settings.ca.remove')}</Checkbox>}
      </fieldset>
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {t('settings.save')}
        </Button>
      </div>
    </FormBody>
  )
}
