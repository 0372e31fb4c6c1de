import { account, type OwnSession } from '@mainstay/contract/identity/account'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { confirm } from '../../patterns/dialogs/confirm'
import { Line } from '../../patterns/Line'
import { Button } from '../../ui/Button'
import { Badge } from '../../ui/values/Badge'
import { Time } from '../../ui/values/Time'
import css from './account.module.css'
import { programName } from '../../lib/program-name'
import { Section } from './Section'

const unscoped = { isUnscoped: true }

/** Lists the current user's active sessions and lets the user end them. */
export function OwnSessions() {
  const t = useT('account')
  const view = useView(account.sessions, {}, unscoped)
  const refresh = [account.sessions]
  const end = useCall(account.endSession, { refresh, done: () => toast(t('session.ended')) })
  const endOthers = useCall(account.endOtherSessions, { refresh, done: () => toast(t('sessions.othersEnded')) })
  const hasOthers = view.data?.data.some((it) => !it.is_current)
  const nameOf = ({ user_agent }: OwnSession) => {
    const program = programName(user_agent)
    if (!program) return t('session.unknown')
    const { browser, system } = program
    return system === undefined ? browser : t('system', { browser, system })
  }
  const askForOthers = () =>
    void confirm({
      title: t('sessions.endOthersQuestion'),
      text: t('sessions.endOthersText'),
      verb: t('sessions.endOthers'),
      run: (signal) => endOthers.run({}, { signal, ...unscoped }),
    })
  return (
    <Section
      title={t('sessions')}
      view={view}
      actions={hasOthers && <Button onPress={askForOthers}>{t('sessions.endOthers')}</Button>}
    >
      {({ data }) => (
        <ul className={css.list}>
          {data.map((session) => (
            <Line
              key={session.id}
              name={nameOf(session)}
              badge={session.is_current && <Badge tone="ok">{t('session.current')}</Badge>}
              notes={[
                <bdi key="from">{t('session.address', { address: session.address })}</bdi>,
                t('session.used', { when: <Time key="used" at={session.last_used_at} /> }),
                t('session.ends', { when: <Time key="ends" at={session.expires_at} /> }),
              ]}
              action={
                !session.is_current && (
                  <Button
                    aria-label={t('session.endNamed', { name: nameOf(session) })}
                    onPress={() => end.start({ params: { id: session.id } }, unscoped)}
                  >
                    {t('session.end')}
                  </Button>
                )
              }
            />
          ))}
        </ul>
      )}
    </Section>
  )
}
