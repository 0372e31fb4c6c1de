import { update } from '@mainstay/contract/core/endpoint'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { lazy, Suspense, useState } from 'react'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useMay } from '../../session/may'
import { Button } from '../../ui/Button'
import { Time } from '../../ui/values/Time'
import css from './account.module.css'
import { Section } from './Section'

const SecondFactorDialog = lazy(() => import('./SecondFactorDialog'))

const unscoped = { isUnscoped: true }

/** The current user's second factor (authenticator app): its status and the available actions. */
export function SecondFactor() {
  const t = useT('account')
  const may = useMay()
  const view = useView(secondFactor.state, {}, unscoped)
  const [asked, setAsked] = useState<'setUp' | 'renew' | 'remove'>()
  const ways = view.data?.is_on ? (['renew', 'remove'] as const) : (['setUp'] as const)
  return (
    <>
      <Section
        title={t('factor')}
        help={t(view.data?.is_available === false ? 'factor.unavailable' : 'factor.help')}
        view={view}
        actions={
          view.data?.is_available &&
          may(update('account')) && (
            <div className={css.ways}>
              {ways.map((way) => (
                <Button key={way} onPress={() => setAsked(way)}>
                  {t(`factor.${way}`)}
                </Button>
              ))}
            </div>
          )
        }
      >
        {({ is_available, is_on, since, recovery_codes_left: count }) =>
          is_on && since !== null ? (
            <p className={css.state}>{t('factor.on', { when: <Time key="since" at={since} />, count })}</p>
          ) : (
            is_available && <p className={css.state}>{t('factor.off')}</p>
          )
        }
      </Section>
      <Suspense fallback={null}>
        {asked && <SecondFactorDialog way={asked} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  )
}
