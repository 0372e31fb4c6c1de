import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { volumeRoutes } from './volumes.routes'

export const storageModule = module({ routes: [servePlain('storage', ({ ports }) => ports.storage), volumeRoutes] })
