import { userKind, users } from '@mainstay/contract/identity/users'
import { resource } from '../../../nav/resource'

export const userResource = resource({
  kind: userKind,
  calls: users,
  area: 'identity',
  words: 'users',
  path: 'users',
  menu: { in: 'people.accounts', inDomain: 'people.accounts', icon: 'UsersIcon', label: 'menu.users' },
})

/** Path of the list of users with system permissions. */
export const operatorsPath = '/system-administrators'
