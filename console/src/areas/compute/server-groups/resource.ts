import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { resource } from '../../../nav/resource'

export const serverGroupResource = resource({
  kind: serverGroupKind,
  calls: serverGroups,
  area: 'compute',
  words: 'serverGroups',
  path: 'compute/server-groups',
  menu: { in: 'compute.workloads', icon: 'ServerGroupIcon', label: 'menu.serverGroups' },
})
