import { lazy, Suspense, useState } from 'react'
import { useT } from '../i18n/use-t'
import { OnDemand } from '../patterns/OnDemand'
import { useSession } from '../session/session'
import { Button } from '../ui/Button'
import { UserIcon } from '../ui/icons'
import type { UserDialogId } from './UserDialog'
import css from './UserMenu.module.css'

const loadActions = () => import('./UserActions')
const UserActions = lazy(loadActions)
const UserDialog = lazy(() => import('./UserDialog'))

/**
 * The signed-in user's account button. Its menu is loaded when it opens. With `isSimple`, the menu contains only
 * language, password and sign-out, for users who cannot open any page.
 */
export function UserMenu({ isSimple = false }: { isSimple?: boolean }) {
  const t = useT('shell')
  const user = useSession((session) => session.user)
  const [dialog, setDialog] = useState<UserDialogId>()
  if (!user) return null
  return (
    <>
      <OnDemand
        load={loadActions}
        button={
          <Button
            variant="plain"
            icon={UserIcon}
            className={isSimple ? '' : css.button}
            aria-label={t('user.menu', { name: user.name })}
          >
            <span className={css.name}>{user.name}</span>
          </Button>
        }
      >
        {(button) => <UserActions trigger={button} onOpen={setDialog} isSimple={isSimple} />}
      </OnDemand>
      <Suspense fallback={null}>{dialog && <UserDialog id={dialog} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  )
}
