import { module } from '../../module'
import { searchRoutes } from './search.routes'

export const searchModule = module({ routes: [searchRoutes] })
