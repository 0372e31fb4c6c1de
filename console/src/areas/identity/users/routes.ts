import { users } from '@mainstay/contract/identity/users'
import { resourcePages } from '../../../patterns/resource/resource-pages'
import { userResource } from './resource'

export const userRoutes = resourcePages(userResource, {
  list: () => import('./UserListPage'),
  add: () => import('./UserAddForm'),
  view: () => import('./UserPage'),
  edit: () => import('./UserEditForm'),
  more: [
    // the page under it draws its tab; this one only gives the tab an address
    { path: '$id/$tab', load: () => import('../../../patterns/TabAddress'), needs: users.view.needs, title: 'one' },
    { path: '$id/assign', load: () => import('./UserAssignForm'), needs: users.update.needs, title: 'assign' },
    { path: '$id/password', load: () => import('./UserPasswordForm'), needs: users.update.needs, title: 'setPassword' },
  ],
})
