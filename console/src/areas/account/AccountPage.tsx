import { update } from '@mainstay/contract/core/endpoint'
import { lazy, Suspense, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { Facts } from '../../patterns/Facts'
import { Page } from '../../patterns/Page'
import { useMay } from '../../session/may'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { KeyIcon } from '../../ui/icons'
import { ApiTokens } from './ApiTokens'
import { OwnPermissions } from './OwnPermissions'
import { Passkeys } from './Passkeys'
import { OwnSessions } from './OwnSessions'
import { SecondFactor } from './SecondFactor'
import css from './account.module.css'

const ChangePassword = lazy(() => import('../../patterns/dialogs/ChangePasswordDialog'))

/** `/account`: who one is, where one is signed in, and the tokens that act as one. */
export default function AccountPage() {
  const t = useT('account')
  const shell = useT('shell')
  const may = useMay()
  const user = useSession((session) => session.user)
  const [isChanging, setChanging] = useState(false)
  if (!user) return null
  // whoever comes through an identity provider has no password here
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
