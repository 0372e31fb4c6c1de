import { resourcePages } from '../../../patterns/resource/resource-pages'
import { sshKeyResource } from './resource'

export const sshKeyRoutes = resourcePages(sshKeyResource, {
  screens: () => import('./ssh-key-screens'),
  add: () => import('./SshKeyAddForm'),
})
