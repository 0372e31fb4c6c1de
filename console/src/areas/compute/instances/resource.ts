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

/** The page of one instance, beside the details over the list. */
export const machinePath = (id: string) => instanceResource.paths.below(id, 'page')

/** In a window of its own. */
export const consolePath = (id: string) => `/compute/servers/instances/${encodeURIComponent(id)}/console`
