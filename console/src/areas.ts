import { accountArea } from './areas/account/area'
import { computeArea } from './areas/compute/area'
import { identityArea } from './areas/identity/area'
import { loadBalancingArea } from './areas/load-balancing/area'
import { monitoringArea } from './areas/monitoring/area'
import { networkingArea } from './areas/networking/area'
import { objectStorageArea } from './areas/object-storage/area'
import { protectionArea } from './areas/protection/area'
import { storageArea } from './areas/storage/area'
import { vpnArea } from './areas/vpn/area'
import type { ConsoleArea } from './nav/area'

/** All areas of the portal. This order also determines the order of pages under a shared menu heading. */
export const areas: readonly ConsoleArea[] = [
  accountArea,
  monitoringArea,
  computeArea,
  networkingArea,
  loadBalancingArea,
  vpnArea,
  protectionArea,
  storageArea,
  objectStorageArea,
  identityArea,
]
