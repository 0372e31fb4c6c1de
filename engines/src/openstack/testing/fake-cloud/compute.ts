import type { FakeCloud } from './cloud'
import { serveFlavorsAndKeys } from './flavors-and-keys'
import { fakeServers, type FakeServers } from './servers'
import type { FakeVolumes } from './volumes'

/** Serves the parts of the compute service that the commands use, plus the quotas of the volume service. */
export function fakeCompute(cloud: FakeCloud, cinder: FakeVolumes): FakeServers {
  const nova = fakeServers(cloud, cinder)
  serveFlavorsAndKeys(cloud, cinder, nova)
  return nova
}
