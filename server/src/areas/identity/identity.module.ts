import { module } from '../../module'
import { handOverRoutes } from './hand-over.routes'
import { sessionRoutes } from './session.routes'

export const identityModule = module({ routes: [sessionRoutes, handOverRoutes] })
