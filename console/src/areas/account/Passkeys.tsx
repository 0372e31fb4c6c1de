import { update } from '@mainstay/contract/core/endpoint'
import { MOST_PASSKEYS, passkeys, type Passkey } from '@mainstay/contract/identity/passkeys'
import { lazy, Suspense, useState } from 'react'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { Line } from '../../patterns/Line'
import { useMay } from '../../session/may'
import { passkeyLack } from '../../session/passkey'
import { Button } from '../../ui/Button'
import { Badge } from '../../ui/values/Badge'
import { Time } from '../../ui/values/Time'
import css from './account.module.css'
import type { PasskeyAsked } from './PasskeyDialog'
import { Section } from './Section'

const PasskeyDialog = lazy(() => import('./PasskeyDialog'))

const unscoped = { isUnscoped: true }

/** The current user's passkeys. Any one of them is enough to sign in. */
export function Passkeys() {
  const t = useT('account')
  const may = useMay()
  const view = useView(passkeys.own, {}, unscoped)
  const [asked, setAsked] = useState<PasskeyAsked>()
  const lack = passkeyLack()
  const count = view.data?.data.length ?? 0
  const mayChange = view.data?.is_available === true && may(update('account'))
  const usedNote = ({ last_used_at: at }: Passkey) =>
    at === null ? t('passkey.unused') : t('passkey.used', { when: <Time key="used" at={at} /> })
  return (
    <>
      <Section
        title={t('passkeys')}
        help={t(view.data?.is_available === false ? 'passkeys.unavailable' : 'passkeys.help')}
        view={view}
        actions={
          mayChange &&
          lack === null && (
            <Button
              onPress={() => setAsked({ way: 'add' })}
              disabledBecause={count >= MOST_PASSKEYS ? t('passkeys.full', { count }) : undefined}
            >
              {t('passkey.add')}
            </Button>
          )
        }
      >
        {({ data }) => (
          <>
            {mayChange && lack !== null && <p className={css.state}>{t(`passkey.lack.${lack}`)}</p>}
            {mayChange && lack === null && data.length === 0 && <p className={css.state}>{t('passkeys.empty')}</p>}
            {data.length > 0 && (
              <ul className={css.list}>
                {data.map((passkey) => (
                  <Line
                    key={passkey.id}
                    name={passkey.name}
                    badge={passkey.is_synced && <Badge>{t('passkey.synced')}</Badge>}
                    notes={[
                      <bdi key="host">{t('passkey.host', { host: passkey.host })}</bdi>,
                      t('passkey.made', { when: <Time key="made" at={passkey.created_at} /> }),
                      usedNote(passkey),
                    ]}
                    action={
                      mayChange && (
                        <div className={css.ways}>
                          {(['rename', 'remove'] as const).map((way) => (
                            <Button
                              key={way}
                              aria-label={t(`passkey.${way}Named`, { name: passkey.name })}
                              onPress={() => setAsked({ way, passkey })}
                            >
                              {t(`passkey.${way}`)}
                            </Button>
                          ))}
                        </div>
                      )
                    }
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Section>
      <Suspense fallback={null}>{asked && <PasskeyDialog {...asked} onClose={() => setAsked(undefined)} />}</Suspense>
    </>
  )
}
