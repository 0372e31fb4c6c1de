import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { engineRoutes } from './engines.routes'
import { nodeRoutes } from './nodes.routes'

export const infrastructureModule = module({ routes: [clusterRoutes, engineRoutes, nodeRoutes] })
