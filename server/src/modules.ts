import type { Merged } from '@mainstay/contract/areas'
import { bulkRunsModule } from './areas/bulk-runs/bulk-runs.module'
import { computeModule } from './areas/compute/compute.module'
import { exportsModule } from './areas/exports/exports.module'
import { facetsModule } from './areas/facets/facets.module'
import { identityModule } from './areas/identity/identity.module'
import { projectRemovalModule } from './areas/identity/project-removal/removal.module'
import { infrastructureModule } from './areas/infrastructure/infrastructure.module'
import { monitoringModule } from './areas/monitoring/monitoring.module'
import { loadBalancingModule } from './areas/load-balancing/load-balancing.module'
import { networkingModule } from './areas/networking/networking.module'
import { objectStorageModule } from './areas/object-storage/object-storage.module'
import { protectionModule } from './areas/protection/protection.module'
import { savedViewsModule } from './areas/saved-views/saved-views.module'
import { searchModule } from './areas/search/search.module'
import { settingsModule } from './areas/settings/settings.module'
import { storageModule } from './areas/storage/storage.module'
import { vpnModule } from './areas/vpn/vpn.module'
import { openModules, type Module, type OpenModules } from './module'
import type { AreaTools, CoreTools } from './tools'

/** Add a line here to register an area. */
const areas = [
  identityModule,
  monitoringModule,
  computeModule,
  storageModule,
  protectionModule,
  loadBalancingModule,
  vpnModule,
  networkingModule,
  objectStorageModule,
  infrastructureModule,
  settingsModule,
  searchModule,
  exportsModule,
  facetsModule,
  savedViewsModule,
] as const

const calls = areas.flatMap(({ routes }) => routes.flat())

/** All modules of the server. */
export const modules: readonly Module[] = [
  ...areas,
  // these two modules run the calls of all other modules
  bulkRunsModule(calls),
  projectRemovalModule(calls),
]

/** All kinds that the server itself owns. */
export const serverKinds = modules.flatMap(({ kinds = [] }) => kinds)

export const allSchedules = modules.flatMap(({ schedules = [] }) => schedules)

/** All jobs of the server, including scheduled ones. */
export const allJobs = [...modules.flatMap(({ jobs = [] }) => jobs), ...allSchedules.map(({ job }) => job)]

/** Audit actions in addition to those of calls. */
export const allActivities = modules.flatMap(({ activities = [] }) => activities)

/** All API calls of the server. */
export const allRoutes = modules.flatMap(({ routes }) => routes.flat())

type OwnOf<One> = One extends Module<infer Own> ? Own : never

/** Opens the long-lived parts of all areas. */
export function openAreas(tools: CoreTools): OpenModules & { tools: AreaTools } {
  const opened = openModules(modules, tools)
  // the module types declare which tools each module opens
  const own = opened.tools as Merged<OwnOf<(typeof areas)[number]>>
  return { ...opened, tools: own }
}
