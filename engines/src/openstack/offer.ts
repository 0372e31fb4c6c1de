import type { EngineOffer } from '../ports/engine'
import type { CloudChoice } from '../ports/engines'
import { readCloudSettings } from './configuration/cloud-settings'
import type { CloudArea } from './area'
import { cloudKinds, cloudServices } from './areas'
import { openOpenstack } from './openstack'

/** Offers an OpenStack cloud as an engine. Throws `EngineChoiceError` if the configuration is invalid. */
export function openstackOffer({ cloud, pace = 1 }: { cloud: CloudChoice; pace?: number }): EngineOffer {
  const settings = readCloudSettings(cloud)
  const source = `openstack:${settings.name}`
  return {
    source,
    areas: ['identity', ...cloudServices.map(({ area }) => area)],
    needs: Object.fromEntries(cloudServices.map(({ area, needs = [] }: CloudArea) => [area, needs])),
    kinds: cloudKinds,
    open: (areas, lent) => Promise.resolve(openOpenstack({ settings, source, areas, lent, pace })),
  }
}
