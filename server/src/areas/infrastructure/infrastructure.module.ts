import { module } from '../../module'
import { engineRoutes } from './engines.routes'

export const infrastructureModule = module({ routes: [engineRoutes] })
