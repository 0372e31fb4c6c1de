import { users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Time } from '../../../ui/values/Time'

/** Shows a user's failed sign-ins and when the lock expires, with a button to unlock the user. */
export function UserLock({ user: { id, domain_id, name } }: { user: User }) {
  const t = useT('identity')
  const may = useMay()
  const params = { id, domain_id }
  const { data } = useView(users.lock, params)
  const unlock = useCall(users.unlock, {
    refresh: [users.lock],
    done: () => toast(t('users.unlocked', { name })),
  })
  if (!data || data.failures === 0) return null
  const { failures, locked_until: until } = data
  return (
    <Banner
      tone={until === null ? 'idle' : 'warn'}
      action={
        may(users.unlock.needs) && (
          <Button isBusy={unlock.isPending} onPress={() => unlock.start({ params })}>
            {t('users.unlock')}
          </Button>
        )
      }
    >
      {until === null
        ? t('users.failures', { count: failures })
        : t('users.failuresLocked', { count: failures, when: <Time key="until" at={until} /> })}
    </Banner>
  )
}
