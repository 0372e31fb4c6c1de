import type { FakeCloud } from './cloud'
import { fakeCompute } from './compute'
import { fakeNetworks } from './networks'
import { fakePlacement } from './placement'
import type { FakeServers } from './servers'
import { fakeVolumes, type FakeVolumes } from './volumes'

/** Serves everything that a Mainstay server requires from a cloud, with no images, networks or server groups. */
export function fakeServices(cloud: FakeCloud): { compute: FakeServers; volumes: FakeVolumes } {
  const volumes = fakeVolumes(cloud)
  const compute = fakeCompute(cloud, volumes)
  // every other list of the network service is empty; its key equals its path
  cloud.on('network', 'GET', '/:list', ({ params }) => ({ body: { [params['list']!.replaceAll('-', '_')]: [] } }))
  fakeNetworks(cloud)
  cloud.list('network', '/networks', 'networks', [])
  cloud.list('compute', '/os-server-groups', 'server_groups', [])
  fakePlacement(cloud)
  cloud.list('image', '/images', 'images', [])
  return { compute, volumes }
}
