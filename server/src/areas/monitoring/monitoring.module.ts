import { module } from '../../module'
import { taskRoutes } from './tasks.routes'

export const monitoringModule = module({ routes: [taskRoutes] })
