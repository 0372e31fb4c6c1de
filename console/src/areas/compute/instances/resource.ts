import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { resource } from '../../../nav/resource'
import { InstanceIcon } from '../../../ui/icons'

export const instanceResource = resource({
  kind: instanceKind,
  calls: instances,
  area: 'instances',
  words: 'instances',
  path: 'compute/instances',
  menu: { group: 'compute', icon: InstanceIcon, label: 'menu.instances' },
})

/** In a window of its own. */
export const consolePath = (id: string) => `/compute/servers/instances/${encodeURIComponent(id)}/console`
