import { userKind, users } from '@mainstay/contract/identity/users'
import { resource } from '../../../nav/resource'
import { UsersIcon } from '../../../ui/icons'

export const userResource = resource({
  kind: userKind,
  calls: users,
  area: 'identity',
  words: 'users',
  path: 'users',
  menu: { group: 'domain', icon: UsersIcon, label: 'menu.users' },
})

/** Those of the users who hold a system permission. */
export const operatorsPath = '/system-administrators'
