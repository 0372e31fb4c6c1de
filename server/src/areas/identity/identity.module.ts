import { module } from '../../module'
import { handOverRoutes } from './hand-over.routes'
import { sessionRetention } from './session-retention'
import { sessionRoutes } from './session.routes'

export const identityModule = module({ routes: [sessionRoutes, handOverRoutes], schedules: [sessionRetention] })
