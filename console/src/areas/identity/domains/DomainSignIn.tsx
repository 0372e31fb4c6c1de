import type { Domain } from '@mainstay/contract/identity/domains'
import { signInRules } from '@mainstay/contract/identity/sign-in-rules'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { Button } from '../../../ui/Button'
import css from './DomainProperties.module.css'

/**
 * Shows whether a domain requires a second factor, and how many users have not set one up. Empty if a cloud
 * authenticates the users.
 */
export function DomainSignIn({ item: { id, name } }: { item: Domain }) {
  const t = useT('identity')
  const may = useMay()
  const isHere = useSession(({ meta }) => meta?.services.identity.password_links === true)
  const { data } = useView(signInRules.view, { domain_id: id }, { isEnabled: isHere })
  const save = useCall(signInRules.set, { refresh: [signInRules.view] })
  if (!data) return null
  const isRequired = data.second_factor === 'required'
  const count = data.users_without
  const set = (second_factor: 'off' | 'required') =>
    void confirm({
      title: t(`signInRules.${second_factor}Question`, { name }),
      text: second_factor === 'off' ? t('signInRules.offText') : t('signInRules.requiredText', { count }),
      verb: t(`signInRules.${second_factor}Verb`),
      run: async (signal) => {
        await save.run({ params: { domain_id: id }, body: { second_factor } }, { signal })
        toast(t(`signInRules.${second_factor}Done`, { name }))
      },
    })
  return (
    <section className={css.part} aria-label={t('signInRules.title')}>
      <header className={css.head}>
        <h3>{t('signInRules.title')}</h3>
        {may(signInRules.set.needs) && (
          <Button onPress={() => set(isRequired ? 'off' : 'required')}>
            {t(isRequired ? 'signInRules.offVerb' : 'signInRules.requiredVerb')}
          </Button>
        )}
      </header>
      <p className={css.note}>{isRequired ? t('signInRules.required', { count }) : t('signInRules.off', { count })}</p>
    </section>
  )
}
