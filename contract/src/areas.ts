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
import { settingsArea } from './settings/area'
import { featureCalls } from './settings/features'
import { storageArea } from './storage/area'
import { vpnArea } from './vpn/area'

const taskArea = area({ name: 'tasks', title: 'tasks', resources: { tasks: { kind: taskKind, calls: tasks } } })

/** What works on the lists of all areas. */
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
 * Every area of the product, in the order of the API's document. Resources, quotas, tolerances, the areas of engines and
 * their capabilities are derived from this list: an area is registered in the contract by its line here.
 */
export const areas = [
  identityArea,
  taskArea,
  computeArea,
  storageArea,
  networkingArea,
  loadBalancingArea,
  vpnArea,
  objectStorageArea,
  infrastructureArea,
  settingsArea,
  monitoringArea,
  listArea,
] as const satisfies readonly Area[]

/** The same when nothing of their types is known. */
export const areaList: readonly Area[] = [...areas]

type Areas = (typeof areas)[number]
/** The areas that engines serve. */
export type AreasOfEngines = Extract<Areas, { engine: object }>

/** What the areas have under a name, as one object. `Parts` are the objects of single areas, as a union. */
export type Merged<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (all: infer All) => void
  ? { [Name in keyof All]: All[Name] }
  : never
