import { passkeys } from '@mainstay/contract/identity/passkeys'
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

/** Number of passkeys that a user has. Administrators can remove them if they are lost or stolen. */
export function UserPasskeys({ user: { id, domain_id, name } }: { user: User }) {
  const t = useT('identity')
  const may = useMay()
  const own = useSession(({ user }) => user?.id)
  const params = { id, domain_id }
  const { data } = useView(passkeys.ofUser, params)
  const reset = useCall(passkeys.reset, { refresh: [passkeys.ofUser] })
  if (!data?.count) return null
  const { count, last_used_at: at } = data
  const ask = () =>
    void confirm({
      title: t('users.passkeysRemoveQuestion', { name }),
      text: t('users.passkeysRemoveText'),
      verb: t('users.passkeysRemove'),
      isDanger: true,
      run: async (signal) => {
        await reset.run({ params }, { signal })
        toast(t('users.passkeysRemoveDone', { name }))
      },
    })
  return (
    <Banner
      tone="idle"
      action={may(passkeys.reset.needs) && id !== own && <Button onPress={ask}>{t('users.passkeysRemove')}</Button>}
    >
      {at === null
        ? t('users.passkeysUnused', { count })
        : t('users.passkeysUsed', { count, when: <Time key="used" at={at} /> })}
    </Banner>
  )
}
