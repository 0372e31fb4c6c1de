import { lazy } from 'react'
import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { signOut } from '../../session/sign-out'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { PasswordAgain } from './PasswordAgain'
import css from './sign-in.module.css'

const ProviderAgain = lazy(() => import('./ProviderAgain'))

/** Over the page when the session has ended: what is half done on the page stays (wishes W2). */
export default function SignInAgain() {
  const t = useT('shell')
  const user = useSession((session) => session.user)
  const provider = user?.external_provider ?? null
  return (
    // there is nothing behind it that would work, so it cannot be closed
    <Dialog isOpen isFirm hasNoCross title={t('relogin.title')} onClose={() => {}}>
      <div className={css.form}>
        {provider === null ? <PasswordAgain username={user?.name ?? ''} /> : <ProviderAgain provider={provider} />}
        <Button variant="plain" onPress={() => void signOut()}>
          {t('relogin.other')}
        </Button>
      </div>
    </Dialog>
  )
}
