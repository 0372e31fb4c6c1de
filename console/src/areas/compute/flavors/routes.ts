import { resourcePages } from '../../../patterns/resource/resource-pages'
import { flavorResource } from './resource'

export const flavorRoutes = resourcePages(flavorResource, {
  screens: () => import('./flavor-screens'),
  form: () => import('./flavor-form'),
})
