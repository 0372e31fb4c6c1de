import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { resourcePages } from '../../../patterns/resource/resource-pages'
import { projectResource } from './resource'

const { needs } = users.update

export const projectRoutes = resourcePages(projectResource, {
  list: () => import('./ProjectListPage'),
  add: () => import('./ProjectAddForm'),
  view: () => import('./ProjectPage'),
  edit: () => import('./ProjectEditForm'),
  more: [
    // the page under it draws its tab; this one only gives the tab an address
    { path: '$id/$tab', load: () => import('../../../patterns/TabAddress'), needs: projects.view.needs, title: 'one' },
    { path: '$id/assign', load: () => import('./ProjectAssignForm'), needs, title: 'assign' },
    { path: '$id/unassign', load: () => import('./ProjectUnassignForm'), needs, title: 'removeMany' },
  ],
})
