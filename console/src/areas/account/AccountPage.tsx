import { update } from '@mainstay/contract/core/endpoint'
import { lazy, Suspense, useState, useId } from 'react'
import { useT } from '../../i18n/use-t'
import { Facts } from '../../patterns/Facts'
import { Page } from '../../patterns/Page'
import { useMay } from '../../session/may'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { KeyIcon } from '../../ui/icons'
import { ApiTokens } from './ApiTokens'
import { Passkeys } from './Passkeys'
import { OwnSessions } from './OwnSessions'
import { SecondFactor } from './SecondFactor'
import css from './account.module.css'
import { useSearchParam } from '../../nav/use-param'
import { OwnProject } from '../../patterns/permissions/OwnProject'
import { Skeleton } from '../../ui/feedback/Skeleton'

const PermissionPanel = lazy(() => import('../../patterns/permissions/PermissionPanel'))

/** Explains to the current user why they can or cannot perform an action. */
function OwnPermissions() {
  const t = useT('account')
  const id = useId()
  // set by the “Why?” link on the 403 page
  const isBarred = useSearchParam('why') !== undefined
  const [isAsking, setAsking] = useState(isBarred)
  return (
    <section aria-labelledby={id}>
      <header className={css.head}>
        <div>
          <h2 id={id}>{t('permissions')}</h2>
          <p>{t('permissions.help')}</p>
        </div>
        {!isAsking && <Button onPress={() => setAsking(true)}>{t('permissions.ask')}</Button>}
      </header>
      {isAsking && (
        <Suspense fallback={<Skeleton width="60%" />}>
          <PermissionPanel projectField={(bound) => <OwnProject {...bound} />} />
        </Suspense>
      )}
    </section>
  )
}

const ChangePassword = lazy(() => import('../../patterns/dialogs/ChangePasswordDialog'))

/** `/account`: the current user's profile, sessions, passkeys and API tokens. */
export default function AccountPage() {
  const t = useT('account')
  const shell = useT('shell')
  const may = useMay()
  const user = useSession((session) => session.user)
  const [isChanging, setChanging] = useState(false)
  if (!user) return null
  // users from an external identity provider have no local password
  const hasPassword = user.external_provider === null
  return (
    <Page
      title={t('title')}
      actions={
        hasPassword &&
        may(update('account')) && (
          <Button icon={KeyIcon} onPress={() => setChanging(true)}>
            {shell('password.change')}
          </Button>
        )
      }
    >
      <div className={css.sections}>
        <Facts
          rows={[
            [t('login'), user.name],
            [t('domain'), user.domain_name],
            [t('email'), user.email ?? t('noEmail')],
            [t('signsInBy'), t(hasPassword ? 'provider.none' : 'provider')],
          ]}
        />
        <SecondFactor />
        <Passkeys />
        <OwnSessions />
        <ApiTokens />
        <OwnPermissions />
      </div>
      <Suspense fallback={null}>{isChanging && <ChangePassword onClose={() => setChanging(false)} />}</Suspense>
    </Page>
  )
}
