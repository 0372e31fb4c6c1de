import { computeModule } from './areas/compute/compute.module'
import { identityModule } from './areas/identity/identity.module'
import { infrastructureModule } from './areas/infrastructure/infrastructure.module'
import { monitoringModule } from './areas/monitoring/monitoring.module'
import { networkingModule } from './areas/networking/networking.module'
import { settingsModule } from './areas/settings/settings.module'
import { storageModule } from './areas/storage/storage.module'
import type { Module } from './module'

/** The areas of which the server is made. */
export const modules: readonly Module[] = [
  identityModule,
  monitoringModule,
  computeModule,
  storageModule,
  networkingModule,
  infrastructureModule,
  settingsModule,
]

/** Every kind of which the server itself is the source. */
export const serverKinds = modules.flatMap(({ kinds = [] }) => kinds)

export const allSchedules = modules.flatMap(({ schedules = [] }) => schedules)

/** Every job of the server's own. */
export const allJobs = [...modules.flatMap(({ jobs = [] }) => jobs), ...allSchedules.map(({ job }) => job)]

/** Every call that this server answers. */
export const allRoutes = modules.flatMap(({ routes }) => routes.flat())
