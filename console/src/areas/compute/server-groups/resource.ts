import { serverGroupKind, serverGroups } from '@mainstay/contract/compute/server-groups'
import { resource } from '../../../nav/resource'
import { ServerGroupIcon } from '../../../ui/icons'

export const serverGroupResource = resource({
  kind: serverGroupKind,
  calls: serverGroups,
  area: 'compute',
  words: 'serverGroups',
  path: 'compute/server-groups',
  menu: { group: 'compute', icon: ServerGroupIcon, label: 'menu.serverGroups' },
})
