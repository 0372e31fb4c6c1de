import { instances } from '@mainstay/contract/compute/instances'
import { route } from '../../../nav/route'
import { resourcePages } from '../../../patterns/resource/resource-pages'
import { instanceResource } from './resource'

export const instanceRoutes = [
  ...resourcePages(instanceResource, {
    list: () => import('./list/InstanceListPage'),
    // its steps (flavor, image, key, networks, volumes, script) are drawn by the page itself, which keeps what was entered
    add: { path: 'add/{-$step}', load: () => import('./add/InstanceAddPage'), isAlone: true },
    view: () => import('./InstancePage'),
    // `subject`: what is edited, as in S1§2
    edit: { path: '$id/edit/$subject', load: () => import('./edit/InstanceEditForm') },
    more: [
      // the page under it draws its tab; this one only gives the tab an address
      {
        path: '$id/$tab',
        load: () => import('../../../patterns/TabAddress'),
        needs: instances.view.needs,
        title: 'one',
      },
    ],
  }),
  // Opens in a window of its own, also from a bookmark: it says itself what is missing, sign-in included (S1§2).
  route('compute/servers/instances/$id/console', () => import('./console/ConsolePage'), {
    needs: 'public',
    texts: 'compute',
    title: 'console.title',
    frame: 'bare',
  }),
]
