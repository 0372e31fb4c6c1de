import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { resource } from '../../../nav/resource'

export const instanceResource = resource({
  kind: instanceKind,
  calls: instances,
  area: 'instances',
  words: 'instances',
  path: 'compute/instances',
  isTyped: true,
  menu: { in: 'compute.workloads', icon: 'InstanceIcon', label: 'menu.instances', key: 'v' },
})

/** Path of an instance's full page, as opposed to its details drawer. */
export const machinePath = (id: string) => instanceResource.paths.below(id, 'page')

/** Path of the console, which opens in its own window. */
export const consolePath = (id: string) => `/compute/servers/instances/${encodeURIComponent(id)}/console`
