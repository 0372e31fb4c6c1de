import type { ReactElement } from 'react'
import { create, update } from '@mainstay/contract/core/endpoint'
import { availableLanguages } from '../i18n/available-languages'
import { useT } from '../i18n/use-t'
import { useAppNavigate } from '../nav/use-app-navigate'
import { ActionMenu } from '../patterns/ActionMenu'
import { useMay } from '../session/may'
import { useSession } from '../session/session'
import { signOut } from '../session/sign-out'
import { setDensity, setThemeMode, useTheme } from '../themes/theme'
import {
  DarkIcon,
  HelpIcon,
  InfoIcon,
  KeyIcon,
  LanguageIcon,
  LightIcon,
  RowsIcon,
  SignOutIcon,
  SystemIcon,
  UserIcon,
} from '../ui/icons'
import type { UserDialogId } from './UserDialog'
import css from './UserMenu.module.css'

interface UserActionsProps {
  trigger: ReactElement
  /** Opens a dialog that stays open when the menu closes. */
  onOpen: (dialog: UserDialogId) => void
  isSimple: boolean
}

/** The signed-in user's account menu. */
export default function UserActions({ trigger, onOpen, isSimple }: UserActionsProps) {
  const t = useT('account')
  const shell = useT('shell')
  const may = useMay()
  const go = useAppNavigate()
  const user = useSession((session) => session.user)
  const { mode, density } = useTheme()
  if (!user) return null
  const nextMode = ({ light: 'dark', dark: 'system', system: 'light' } as const)[mode]
  // with a single language there is nothing to choose
  const language =
    availableLanguages().length > 1
      ? [{ label: t('language.change'), icon: LanguageIcon, run: () => onOpen('language') }]
      : []
  // users from an identity provider have no password here
  const password =
    user.external_provider === null && (isSimple || may(update('account')))
      ? [{ label: shell('password.change'), icon: KeyIcon, run: () => onOpen('password') }]
      : []
  const signOutHere = { label: shell('user.signOut'), icon: SignOutIcon, run: () => void signOut() }
  return (
    <ActionMenu
      label={shell('user.menu', { name: user.name })}
      trigger={trigger}
      header={
        <div className={css.who}>
          <strong>{user.name}</strong>
          <span>{user.domain_name}</span>
        </div>
      }
      items={
        isSimple
          ? [...language, ...password, signOutHere]
          : [
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
              ...language,
              { label: t('user.account'), icon: UserIcon, run: () => go('/account') },
              ...password,
              ...(may(create('reports'))
                ? [{ label: t('user.report'), icon: HelpIcon, run: () => onOpen('report') }]
                : []),
              { label: t('user.about'), icon: InfoIcon, run: () => onOpen('about') },
              'line',
              signOutHere,
              ...(user.provider_sign_out
                ? [
                    {
                      label: t('user.signOutThere'),
                      icon: SignOutIcon,
                      run: () => void signOut({ atProvider: true }),
                    },
                  ]
                : []),
            ]
      }
    />
  )
}
