import { lazy, Suspense, useState } from 'react'
import { create, update } from '@mainstay/contract/core/endpoint'
import { useT } from '../i18n/use-t'
import { useGo } from '../nav/use-go'
import { useMay } from '../session/may'
import { useSession } from '../session/session'
import { signOut } from '../session/sign-out'
import { setDensity, setThemeMode, useTheme } from '../themes/theme'
import { Button } from '../ui/Button'
import {
  DarkIcon,
  HelpIcon,
  InfoIcon,
  KeyIcon,
  LightIcon,
  RowsIcon,
  SignOutIcon,
  SystemIcon,
  UserIcon,
} from '../ui/icons'
import { LazyMenu } from '../patterns/LazyMenu'
import type { UserDialogId } from './UserDialog'
import css from './UserMenu.module.css'

const UserDialog = lazy(() => import('./UserDialog'))

/** Who is signed in, and what they may set for themselves. */
export function UserMenu() {
  const t = useT('shell')
  const may = useMay()
  const go = useGo()
  const user = useSession((session) => session.user)
  const { mode, density } = useTheme()
  const [dialog, setDialog] = useState<UserDialogId>()
  if (!user) return null
  const nextMode = ({ light: 'dark', dark: 'system', system: 'light' } as const)[mode]
  return (
    <>
      <LazyMenu
        label={t('user.menu', { name: user.name })}
        header={
          <div className={css.who}>
            <strong>{user.name}</strong>
            <span>{user.domain_name}</span>
          </div>
        }
        trigger={
          <Button
            variant="plain"
            icon={UserIcon}
            className={css.button}
            aria-label={t('user.menu', { name: user.name })}
          >
            <span className={css.name}>{user.name}</span>
          </Button>
        }
        items={[
          {
            label: t(`user.${nextMode}`),
            icon: { light: LightIcon, dark: DarkIcon, system: SystemIcon }[nextMode],
            run: () => setThemeMode(nextMode),
          },
          {
            label: t(density === 'compact' ? 'user.comfortable' : 'user.compact'),
            icon: RowsIcon,
            run: () => setDensity(density === 'compact' ? 'comfortable' : 'compact'),
          },
          'line',
          { label: t('user.account'), icon: UserIcon, run: () => go('/account') },
          // whoever comes through an identity provider has no password here
          ...(user.external_provider === null && may(update('account'))
            ? [{ label: t('password.change'), icon: KeyIcon, run: () => setDialog('password') }]
            : []),
          ...(may(create('reports'))
            ? [{ label: t('user.report'), icon: HelpIcon, run: () => setDialog('report') }]
            : []),
          { label: t('user.about'), icon: InfoIcon, run: () => setDialog('about') },
          'line',
          { label: t('user.signOut'), icon: SignOutIcon, run: () => void signOut() },
        ]}
      />
      <Suspense fallback={null}>{dialog && <UserDialog id={dialog} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  )
}
