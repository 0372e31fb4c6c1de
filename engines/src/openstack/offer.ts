import { cloudAreas } from '../ports/area-ports'
import type { EngineOffer } from '../ports/engine'
import type { CloudChoice } from '../ports/engines'
import { readCloudSettings } from './configuration/cloud-settings'
import { cloudKinds } from './kinds'
import { openOpenstack } from './openstack'

/** A cloud of OpenStack. Throws `EngineChoiceError` where the configuration says nothing that can be used. */
export function openstackOffer({ cloud, pace = 1 }: { cloud: CloudChoice; pace?: number }): EngineOffer {
  const settings = readCloudSettings(cloud)
  const source = `openstack:${settings.name}`
  return {
    source,
    areas: [...cloudAreas, 'load-balancing', 'vpn'],
    // it takes commands from those who have signed in there, and machines have cards in its own networks
    needs: {
      compute: ['identity', 'networking'],
      storage: ['identity'],
      networking: ['identity'],
      'load-balancing': ['networking'],
      vpn: ['networking'],
    },
    kinds: cloudKinds,
    open: (areas, lent) => Promise.resolve(openOpenstack({ settings, source, areas, lent, pace })),
  }
}
