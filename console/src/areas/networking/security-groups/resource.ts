import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { resource } from '../../../nav/resource'
import { SecurityIcon } from '../../../ui/icons'

export const securityGroupResource = resource({
  kind: securityGroupKind,
  calls: securityGroups,
  area: 'networking',
  words: 'securityGroups',
  path: 'compute/security-groups',
  menu: { group: 'network', icon: SecurityIcon, label: 'menu.securityGroups' },
})
