import type { FakeCloud } from './cloud'
import { serveFlavorsAndKeys } from './flavors-and-keys'
import { fakeServers, type FakeServers } from './servers'
import type { FakeVolumes } from './volumes'

/** The compute service, as far as commands need it, with the quotas of the volume service. */
export function fakeCompute(cloud: FakeCloud, cinder: FakeVolumes): FakeServers {
  const nova = fakeServers(cloud, cinder)
  serveFlavorsAndKeys(cloud, cinder, nova)
  return nova
}
