import { groupKind, groups } from '@mainstay/contract/identity/groups'
import { resource } from '../../../nav/resource'
import { GroupIcon } from '../../../ui/icons'

export const groupResource = resource({
  kind: groupKind,
  calls: groups,
  area: 'identity',
  words: 'groups',
  path: 'groups',
  menu: { group: 'domain', icon: GroupIcon, label: 'menu.groups' },
})
