import type { PretendedCloud } from './pretended-cloud'
import { pretendCompute } from './pretended-compute'
import { pretendNetworks } from './pretended-networks'
import { pretendPlacement } from './pretended-placement'
import type { PretendedServers } from './pretended-servers'
import { pretendVolumes, type PretendedVolumes } from './pretended-volumes'

/** Every service that a whole server asks, with no images, networks or server groups. */
export function pretendServices(cloud: PretendedCloud): { compute: PretendedServers; volumes: PretendedVolumes } {
  const volumes = pretendVolumes(cloud)
  const compute = pretendCompute(cloud, volumes)
  pretendNetworks(cloud)
  for (const list of ['networks', 'subnets', 'rbac-policies'])
    cloud.list('network', `/${list}`, list.replace('-', '_'), [])
  cloud.list('compute', '/os-server-groups', 'server_groups', [])
  pretendPlacement(cloud)
  cloud.list('image', '/images', 'images', [])
  return { compute, volumes }
}
