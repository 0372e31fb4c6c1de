import { resourcePages } from '../../../patterns/resource/resource-pages'
import { serverGroupResource } from './resource'

export const serverGroupRoutes = resourcePages(serverGroupResource, {
  screens: () => import('./server-group-screens'),
  form: () => import('./server-group-form'),
})
