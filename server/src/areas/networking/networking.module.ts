import { module } from '../../module'
import { networkRoutes } from './networks.routes'
import { subnetRoutes } from './subnets.routes'

export const networkingModule = module({ routes: [networkRoutes, subnetRoutes] })
