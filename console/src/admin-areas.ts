import { areas } from './areas'
import { computeAdminArea } from './areas/compute/admin-area'
import { identityAdminArea } from './areas/identity/admin-area'
import { infrastructureAdminArea } from './areas/infrastructure/admin-area'
import { monitoringAdminArea } from './areas/monitoring/admin-area'
import { networkingAdminArea } from './areas/networking/admin-area'
import { objectStorageAdminArea } from './areas/object-storage/admin-area'
import { settingsAdminArea } from './areas/settings/admin-area'
import type { ConsoleArea } from './nav/area'

/** Every area of the admin panel: those of the portal, then what only operators have, which the portal does not load. */
export const adminAreas: readonly ConsoleArea[] = [
  ...areas,
  infrastructureAdminArea,
  computeAdminArea,
  networkingAdminArea,
  objectStorageAdminArea,
  identityAdminArea,
  monitoringAdminArea,
  settingsAdminArea,
]
