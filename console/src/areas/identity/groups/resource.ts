import { groupKind, groups } from '@mainstay/contract/identity/groups'
import { resource } from '../../../nav/resource'

export const groupResource = resource({
  kind: groupKind,
  calls: groups,
  area: 'identity',
  words: 'groups',
  path: 'groups',
  menu: { in: 'people.accounts', inDomain: 'people.accounts', icon: 'GroupIcon', label: 'menu.groups' },
})
