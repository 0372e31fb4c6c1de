import { areas } from './areas'
import { computeAdminArea } from './areas/compute/admin-area'
import { identityAdminArea } from './areas/identity/admin-area'
import { infrastructureAdminArea } from './areas/infrastructure/admin-area'
import { monitoringAdminArea } from './areas/monitoring/admin-area'
import { networkingAdminArea } from './areas/networking/admin-area'
import { objectStorageAdminArea } from './areas/object-storage/admin-area'
import { settingsAdminArea } from './areas/settings/admin-area'
import type { ConsoleArea } from './nav/area'

/** All areas of the admin panel: the portal areas plus the operator-only areas, which the portal does not load. */
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
