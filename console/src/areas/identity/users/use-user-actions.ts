import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { isBuiltIn, SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { isFederated, users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { useIsAllTenants, useSession } from '../../../session/session'
import { AttachIcon, EditIcon, KeyIcon } from '../../../ui/icons'
import { useEnabling } from '../use-enabling'
import { userResource } from './resource'
import { useHasLinks } from './use-has-links'

/**
 * Actions for a single user and for bulk selections. Actions that the server would refuse are disabled with a reason.
 */
export function useUserActions(deleted?: () => void) {
  const t = useT('identity')
  const go = useAppNavigate()
  const may = useMay()
  const isOperator = useIsAllTenants()
  const own = useSession(({ user }) => user?.id)
  const hasLinks = useHasLinks()
  const isAbove = (user: User) =>
    !isOperator && rightsOf(user).system_permissions.length > 0 ? t('users.ofOperators') : undefined
  const lockedOut = (user: User) => {
    if (isBuiltIn(user)) return t('users.builtIn')
    return user.id === own ? t('users.self') : isAbove(user)
  }
  const save = useCall(users.update, { refresh: [users.list] })
  const enable = ({ id }: User, enabled: boolean, signal?: AbortSignal) =>
    save.run({ params: { id }, body: { enabled } }, signal && { signal })
  const enabling = useEnabling('users', users.update.needs, enable, lockedOut)
  const removal = useDeleteActions(userResource, { note: t('users.deleteNote'), barredBecause: lockedOut, deleted })
  const to = (place: string) => () => go(place, { keepsSearch: true })
  const { paths } = userResource
  const allChanges = (user: User): RowAction[] => [
    { label: t('users.edit'), icon: EditIcon, run: to(paths.edit(user.id)), disabledBecause: isAbove(user) },
    {
      label: t('users.assign'),
      icon: AttachIcon,
      run: to(paths.below(user.id, 'assign')),
      disabledBecause: isAbove(user),
    },
    ...(isFederated(user)
      ? isOfDirectory(user)
        ? [{ label: t('users.setPassword'), icon: KeyIcon, run: () => {}, disabledBecause: t('users.ofDirectory') }]
        : []
      : [
          {
            label: t('users.setPassword'),
            icon: KeyIcon,
            run: to(paths.below(user.id, 'password')),
            disabledBecause: user.id === own ? t('users.self') : isAbove(user),
          },
          // service accounts get no link: a link opens the console, which they cannot use
          ...(hasLinks && user.role !== SERVICE_ACCOUNT
            ? [
                {
                  label: t('users.link'),
                  icon: KeyIcon,
                  run: to(paths.below(user.id, 'link')),
                  disabledBecause: user.id === own ? t('users.self') : isAbove(user),
                },
              ]
            : []),
        ]),
  ]
  const changes = (user: User) =>
    allChanges(user).map((action) => ({ ...action, about: { call: 'users.update', thing: user } }))
  return {
    bulk: [...enabling.bulk, ...removal.bulk],
    actions: (user: User): RowAction[] => [
      ...(may(users.update.needs) ? changes(user) : []),
      ...enabling.action(user),
      ...removal.action(user),
    ],
  }
}
