import { module } from '../../module'
import { volumeRoutes } from './volumes.routes'

export const storageModule = module({ routes: [volumeRoutes] })
