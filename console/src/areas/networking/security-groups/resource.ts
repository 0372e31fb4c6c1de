import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { resource } from '../../../nav/resource'

export const securityGroupResource = resource({
  kind: securityGroupKind,
  calls: securityGroups,
  area: 'networking',
  words: 'securityGroups',
  path: 'compute/security-groups',
  menu: { in: 'network.access', icon: 'SecurityIcon', label: 'menu.securityGroups' },
})
