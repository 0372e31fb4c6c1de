import type { PretendedCloud } from './pretended-cloud'
import { serveFlavorsAndKeys } from './pretended-flavors-and-keys'
import { pretendServers, type PretendedServers } from './pretended-servers'
import type { PretendedVolumes } from './pretended-volumes'

/** The compute service, as far as commands need it, with the quotas of the volume service. */
export function pretendCompute(cloud: PretendedCloud, cinder: PretendedVolumes): PretendedServers {
  const nova = pretendServers(cloud, cinder)
  serveFlavorsAndKeys(cloud, cinder, nova)
  return nova
}
