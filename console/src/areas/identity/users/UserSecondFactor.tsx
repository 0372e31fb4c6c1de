import { secondFactor } from '@mainstay/contract/identity/second-factor'
import type { User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Time } from '../../../ui/values/Time'

/** Shows whether a user has a second factor. Administrators can reset it if the user has lost it. */
export function UserSecondFactor({ user: { id, domain_id, name } }: { user: User }) {
  const t = useT('identity')
  const may = useMay()
  const own = useSession(({ user }) => user?.id)
  const params = { id, domain_id }
  const { data } = useView(secondFactor.stateOfUser, params)
  const reset = useCall(secondFactor.reset, { refresh: [secondFactor.stateOfUser] })
  if (!data?.is_on || data.since === null) return null
  const ask = () =>
    void confirm({
      title: t('users.factorResetQuestion', { name }),
      text: t('users.factorResetText'),
      verb: t('users.factorReset'),
      isDanger: true,
      run: async (signal) => {
        await reset.run({ params }, { signal })
        toast(t('users.factorResetDone', { name }))
      },
    })
  return (
    <Banner
      tone="idle"
      action={may(secondFactor.reset.needs) && id !== own && <Button onPress={ask}>{t('users.factorReset')}</Button>}
    >
      {t('users.factorOn', { when: <Time key="since" at={data.since} /> })}
    </Banner>
  )
}
