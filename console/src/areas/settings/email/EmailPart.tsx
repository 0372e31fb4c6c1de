import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { notifications, type Notifications } from '@mainstay/contract/settings/notifications'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import css from '../settings.module.css'
import { EmailForm } from './EmailForm'
import { securityTexts, severityTexts } from './email-words'

/** `/settings/email`: the mail server, the sender and the alert recipients. */
export default function EmailPart() {
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(notifications.view, {})
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: Notifications }>()
  const values = saved?.values ?? data
  return (
    <>
      <p className={css.intro}>{t('email.intro')}</p>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!values && !problem && <Skeleton width="320px" />}
      {values &&
        (may(update('settings_notifications')) ? (
          <EmailForm
            key={saved?.count ?? 0}
            values={values}
            onSaved={(reply) => {
              setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
              toast(t('email.saved'))
            }}
          />
        ) : (
          <EmailFacts values={values} />
        ))}
    </>
  )
}

/** Read-only settings, for users who cannot edit them. */
function EmailFacts({ values }: { values: Notifications }) {
  const t = useT('settings')
  const { notification_settings: mail, smtp_settings: smtp } = values
  const or = (text: string) => (text === '' ? t('email.none') : <bdi>{text}</bdi>)
  return (
    <>
      <Banner tone="busy">{t('settings.readOnly')}</Banner>
      <Facts
        rows={[
          [t('email.server'), or(smtp.smtp_server && `${smtp.smtp_server}:${smtp.port}`)],
          [t('email.security'), t(securityTexts[smtp.connection_security])],
          [t('email.account'), or(smtp.account_name)],
          [t('email.from'), or(mail.from)],
          [t('email.senderName'), or(mail.sender_name)],
          [t('email.cloudName'), or(mail.cloud_name)],
          [t('email.recipients'), or(mail.email_recipients_list.join(', '))],
          [t('email.severities'), or(mail.alerts_severities.map((one) => t(severityTexts[one])).join(', '))],
        ]}
      />
    </>
  )
}
