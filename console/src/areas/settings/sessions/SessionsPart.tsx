import { MOST_IDLE_MINUTES, SessionSettings, sessionSettings } from '@mainstay/contract/settings/sessions'
import { useT } from '../../../i18n/use-t'
import { OneNumberPart } from '../OneNumberPart'

/** `/settings/sessions`: how long users can be inactive before the console signs them out. */
export default function SessionsPart() {
  const t = useT('settings')
  return (
    <OneNumberPart
      id="sessions"
      calls={sessionSettings}
      schema={SessionSettings}
      name="idle_timeout_minutes"
      most={MOST_IDLE_MINUTES}
      texts={{
        intro: t('sessions.intro'),
        label: t('sessions.idle'),
        help: t('sessions.idle.help'),
        save: t('sessions.save'),
        saved: t('sessions.saved'),
      }}
      shown={(minutes) => t('sessions.minutes', { minutes })}
    />
  )
}
