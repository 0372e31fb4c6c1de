import { passwordFits, passwordRules, type PasswordWay } from '@mainstay/contract/identity/password-rules'
import { useT } from '../../i18n/use-t'
import { useWatched } from './use-watched'
import { IdleIcon, OkIcon } from '../../ui/icons'
import { VisuallyHidden } from '../../ui/VisuallyHidden'
import css from './PasswordRules.module.css'

const ways: readonly PasswordWay[] = ['long', 'strong']

/** The alternative rules for a new password, and which of them it meets. Meeting one rule is enough. */
export function PasswordRules({ field }: { field: string }) {
  const t = useT('patterns')
  const password = useWatched<string>(field)
  return (
    <div className={css.rules} role="group" aria-label={t('password.rules')}>
      <span>{t('password.rules')}</span>
      <ul aria-live="polite">
        {ways.map((way) => {
          const isMet = passwordFits(password, way)
          return (
            <li key={way} data-met={isMet}>
              {isMet ? <OkIcon /> : <IdleIcon />}
              <span>{t(`password.rule.${way}`, { characters: passwordRules[way].characters })}</span>
              <VisuallyHidden>{t(isMet ? 'password.ruleMet' : 'password.ruleNotMet')}</VisuallyHidden>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
