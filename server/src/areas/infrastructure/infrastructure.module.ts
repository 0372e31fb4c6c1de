import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { engineRoutes } from './engines.routes'

export const infrastructureModule = module({ routes: [clusterRoutes, engineRoutes] })
