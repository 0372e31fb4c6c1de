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
 * Who is signed in. What they may set for themselves is fetched when the menu is opened. `isSimple`: where there is nothing else
 * for them, with the language, the password and the way out alone.
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
