import { resourcePages } from '../../../patterns/resource/resource-pages'
import { domainResource } from './resource'

export const domainRoutes = resourcePages(domainResource, {
  screens: () => import('./domain-screens'),
  form: () => import('./domain-form'),
  add: () => import('./DomainAddForm'),
})
