import { computeArea } from './compute/area'
import { area, type Area } from './core/area'
import { bulkRuns } from './core/bulk-runs'
import { exports } from './core/lists/exports'
import { facets } from './core/lists/facets'
import { savedViews } from './core/lists/saved-views'
import { search } from './core/lists/search'
import { taskKind, tasks } from './core/tasks'
import { identityArea } from './identity/area'
import { infrastructureArea } from './infrastructure/area'
import { loadBalancingArea } from './load-balancing/area'
import { monitoringArea } from './monitoring/area'
import { networkingArea } from './networking/area'
import { objectStorageArea } from './object-storage/area'
import { protectionArea } from './protection/area'
import { settingsArea } from './settings/area'
import { featureCalls } from './settings/features'
import { storageArea } from './storage/area'
import { vpnArea } from './vpn/area'

const taskArea = area({ name: 'tasks', title: 'tasks', resources: { tasks: { kind: taskKind, calls: tasks } } })

/** Calls that work across the lists of all areas. */
const listArea = area({
  name: 'lists',
  title: 'lists of all areas',
  resources: {
    search: { calls: search },
    bulkRuns: { calls: bulkRuns },
    exports: { calls: exports },
    facets: { calls: facets },
    savedViews: { calls: savedViews },
    features: { calls: featureCalls },
  },
})

/**
 * All areas of the product, in the order in which the API document lists them. Resources, quotas, tolerances, engine
 * areas and their capabilities are derived from this list, so adding an area here registers it in the contract.
 */
export const areas = [
  identityArea,
  taskArea,
  computeArea,
  storageArea,
  protectionArea,
  networkingArea,
  loadBalancingArea,
  vpnArea,
  objectStorageArea,
  infrastructureArea,
  settingsArea,
  monitoringArea,
  listArea,
] as const satisfies readonly Area[]

/** The same list without the literal types. */
export const areaList: readonly Area[] = [...areas]

type Areas = (typeof areas)[number]
/** Areas served by an engine. */
export type AreasOfEngines = Extract<Areas, { engine: object }>

/** Merges a union of objects (`Parts`), one per area, into a single object type. */
export type Merged<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (all: infer All) => void
  ? { [Name in keyof All]: All[Name] }
  : never
