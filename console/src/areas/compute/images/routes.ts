import { resourcePages } from '../../../patterns/resource/resource-pages'
import { imageResource } from './resource'

// `images/{id}/create-volume` is a page of volumes; see storage/volumes/routes.ts.
export const imageRoutes = resourcePages(imageResource, {
  list: () => import('./ImageListPage'),
  add: () => import('./ImageAddForm'),
  view: () => import('./ImagePage'),
})
