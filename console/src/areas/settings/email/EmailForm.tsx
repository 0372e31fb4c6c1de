import { useId, useState } from 'react'
import {
  mailedSeverities,
  notifications,
  NotificationsForm,
  usualPorts,
  type MailedSeverity,
  type Notifications,
  type NotificationsChange,
} from '@mainstay/contract/settings/notifications'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { FormBody } from '../../../patterns/form/FormBody'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { focusFirstError, placeServerErrors } from '../../../patterns/form/server-errors'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useForm } from '../../../patterns/form/use-form'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { SecurityAndPort } from '../SecurityAndPort'
import css from '../settings.module.css'
import { securityTexts, severityTexts } from './email-words'

const SERVER = 'smtp_settings'
const SENDER = 'notification_settings'

/** An empty password field keeps the saved password. */
function withoutEmptyPassword({ smtp_settings: smtp = {}, ...rest }: NotificationsChange): NotificationsChange {
  const { password, ...others } = smtp
  return { ...rest, smtp_settings: { ...others, ...(password && { password }) } }
}

interface EmailFormProps {
  values: Notifications
  onSaved: (saved: Notifications) => void
}

/** Email settings with test and save buttons. */
export function EmailForm({ values, onSaved }: EmailFormProps) {
  const t = useT('settings')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const id = useId()
  const { has_password: hasPassword, ...smtp } = values.smtp_settings
  const { email_recipients_list: recipients, ...sender } = values.notification_settings
  const save = useCall(notifications.save, { refresh: [notifications.view] })
  const tried = useCall(notifications.test)
  const [outcome, setOutcome] = useState<{ isGood: boolean; text: string }>()
  const state = useForm({
    schema: NotificationsForm,
    start: {
      notification_settings: { ...sender, email_recipients_list: recipients.join(', ') },
      smtp_settings: { ...smtp, password: '' },
    },
    send: (body) => {
      setOutcome(undefined)
      return save.run({ body: withoutEmptyPassword(body) })
    },
    done: onSaved,
  })
  const { form, element } = state

  const test = form.handleSubmit(
    async (body) => {
      setOutcome(undefined)
      try {
        const reply = await tried.run({ body: withoutEmptyPassword(body) })
        setOutcome({ isGood: true, text: t('email.tested', { count: reply.recipients.length }) })
      } catch (thrown) {
        const problem = asProblem(thrown)
        placeServerErrors(problem, form, (name) => name.startsWith(SERVER) || name.startsWith(SENDER))
        setOutcome({ isGood: false, text: problemText(problem, shell) })
        focusFirstError(element)
      }
    },
    () => focusFirstError(element),
  )

  return (
    <FormBody state={state} id={id}>
      <fieldset className={css.group}>
        <legend>{t('email.sending')}</legend>
        <TextField name={`${SERVER}.smtp_server`} label={t('email.server')} help={t('email.server.help')} isMono />
        <SecurityAndPort prefix={`${SERVER}.`} usual={usualPorts} texts={securityTexts} open={t('email.open')} />
        <TextField
          name={`${SERVER}.account_name`}
          label={t('email.account')}
          help={t('email.account.help')}
          autoComplete="off"
        />
        <PasswordField
          name={`${SERVER}.password`}
          label={t('email.password')}
          autoComplete="new-password"
          help={hasPassword ? t('email.password.kept') : undefined}
        />
      </fieldset>
      <fieldset className={css.group}>
        <legend>{t('email.sender')}</legend>
        <TextField name={`${SENDER}.from`} label={t('email.from')} />
        <TextField name={`${SENDER}.sender_name`} label={t('email.senderName')} />
        <TextField name={`${SENDER}.cloud_name`} label={t('email.cloudName')} help={t('email.cloudName.help')} />
      </fieldset>
      <fieldset className={css.group}>
        <legend>{t('email.alerts')}</legend>
        <TextArea
          name={`${SENDER}.email_recipients_list`}
          label={t('email.recipients')}
          help={t('email.recipients.help')}
        />
        <SeverityFields />
      </fieldset>
      {outcome && <Banner tone={outcome.isGood ? 'ok' : 'bad'}>{outcome.text}</Banner>}
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy && save.isPending}>
          {patterns('save')}
        </Button>
        <Button onPress={() => void test()} isBusy={tried.isPending}>
          {t('email.test')}
        </Button>
        <small>{t('email.test.help')}</small>
      </div>
    </FormBody>
  )
}

function SeverityFields() {
  const t = useT('settings')
  const { value, onChange, isDisabled } = useBound<MailedSeverity[]>(`${SENDER}.alerts_severities`)
  return (
    <fieldset className={css.choices}>
      <legend>{t('email.severities')}</legend>
      {mailedSeverities.map((one) => (
        <Checkbox
          key={one}
          isSelected={value.includes(one)}
          isDisabled={isDisabled}
          onChange={(isOn) => onChange(mailedSeverities.filter((it) => (it === one ? isOn : value.includes(it))))}
        >
          {t(severityTexts[one])}
        </Checkbox>
      ))}
    </fieldset>
  )
}
