import { alerts } from '@mainstay/contract/monitoring/alerts'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { tasks } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { flavorResource } from './areas/compute/flavors/resource'
import { imageResource } from './areas/compute/images/resource'
import { instanceResource } from './areas/compute/instances/resource'
import { serverGroupResource } from './areas/compute/server-groups/resource'
import { sshKeyResource } from './areas/compute/ssh-keys/resource'
import { identityRoutes } from './areas/identity/routes'
import { loadBalancingRoutes } from './areas/load-balancing/routes'
import { networkingRoutes } from './areas/networking/routes'
import { objectStorageRoutes } from './areas/object-storage/routes'
import { recycleBinResource } from './areas/storage/recycle-bin/resource'
import { volumeResource } from './areas/storage/volumes/resource'
import { vpnRoutes } from './areas/vpn/routes'
import { route, type PageRoute } from './nav/route'
import { withTexts } from './nav/with-texts'
import { resourcePages, tab } from './patterns/resource/resource-pages'
import { withPickers } from './pickers/with-pickers'
import { shellRoutes } from './shell/routes'
import { AlertsIcon, LogIcon, OverviewIcon, TasksIcon } from './ui/icons'

/** Pages of one instance have texts that the list of them does without. */
const ofInstance = <Page>(load: () => Promise<Page>) => withTexts('instance', load)

/**
 * Every page of the self-service portal, by resource, and what it is made of. Menus are in this order. The admin panel has these
 * and those of operators (`admin-routes.ts`).
 */
export const portalRoutes: readonly PageRoute[] = [
  ...shellRoutes,

  route('account', () => import('./areas/account/AccountPage'), {
    needs: 'signed-in',
    texts: 'account',
    title: 'title',
  }),

  route(
    'monitoring',
    withTexts(
      'tasks',
      withTexts('alerts', () => import('./areas/monitoring/overview/OverviewPage')),
    ),
    {
      needs: 'overview',
      texts: 'monitoring',
      title: 'title',
      menu: { group: 'main', icon: OverviewIcon, label: 'menu.monitoring', service: 'compute' },
    },
  ),

  ...resourcePages(instanceResource, {
    list: () => import('./areas/compute/instances/list/InstanceListPage'),
    // its steps (flavor, image, key, networks, volumes, script) are drawn by the page itself, which keeps what was entered
    add: {
      path: 'add/{-$step}',
      load: ofInstance(withPickers(() => import('./areas/compute/instances/add/InstanceAddPage'))),
      isAlone: true,
    },
    view: ofInstance(withTexts('locks', () => import('./areas/compute/instances/InstancePage'))),
    // `subject`: what is edited, as in S1§2
    edit: {
      path: '$id/edit/$subject',
      load: ofInstance(withPickers(() => import('./areas/compute/instances/edit/InstanceEditForm'))),
    },
    more: [{ path: '$id/$tab', load: tab, needs: instances.view.needs, title: 'one' }],
  }),
  // beside the details over the list, and not over it: with all of the room
  route(
    `${instanceResource.path}/$id/page`,
    ofInstance(
      withTexts(
        'alerts',
        withTexts('monitoring', () => import('./areas/compute/instances/page/MachinePage')),
      ),
    ),
    { needs: instances.view.needs, texts: 'instances', title: 'instances.one' },
  ),
  route(
    `${instanceResource.path}/$id/page/edit/$subject`,
    ofInstance(withPickers(() => import('./areas/compute/instances/page/MachineEditForm'))),
    {
      needs: instances.update.needs,
      texts: 'instances',
      title: 'instances.edit',
      over: `${instanceResource.path}/$id/page`,
    },
  ),
  // Opens in a window of its own, also from a bookmark: it says itself what is missing, sign-in included (S1§2).
  route('compute/servers/instances/$id/console', () => import('./areas/compute/instances/console/ConsolePage'), {
    needs: 'public',
    texts: 'console',
    title: 'console.title',
    frame: 'bare',
  }),

  ...resourcePages(imageResource, {
    list: () => import('./areas/compute/images/ImageListPage'),
    add: () => import('./areas/compute/images/ImageAddForm'),
    view: () => import('./areas/compute/images/ImagePage'),
  }),

  route(`${imageResource.path}/sources`, () => import('./areas/compute/images/ImageSourcesPage'), {
    needs: images.create.needs,
    texts: 'sources',
    title: 'sources.add',
    over: imageResource.path,
  }),

  ...resourcePages(volumeResource, {
    list: () => import('./areas/storage/volumes/VolumeListPage'),
    add: () => import('./areas/storage/volumes/VolumeAddForm'),
    view: {
      path: '$id/{-$detailsTab}',
      load: withTexts('locks', () => import('./areas/storage/volumes/VolumePage')),
    },
  }),
  route(`${volumeResource.path}/$id/clone/{-$returnRoute}`, () => import('./areas/storage/volumes/VolumeCloneForm'), {
    needs: volumes.clone.needs,
    texts: 'storage',
    title: 'volumes.clone',
    over: volumeResource.path,
  }),
  route(
    `${volumeResource.path}/$id/image-add/{-$returnRoute}`,
    () => import('./areas/storage/volumes/VolumeImageForm'),
    {
      needs: volumes.uploadToImage.needs,
      texts: 'storage',
      title: 'volumes.toImage',
      over: volumeResource.path,
    },
  ),
  // over the images: what is made is a volume, where one comes from is an image
  route(
    `${imageResource.path}/$id/create-volume/{-$returnRoute}`,
    () => import('./areas/storage/volumes/ImageVolumeForm'),
    {
      needs: volumes.create.needs,
      texts: 'storage',
      title: 'volumes.add',
      over: imageResource.path,
    },
  ),

  ...resourcePages(serverGroupResource, {
    screens: () => import('./areas/compute/server-groups/server-group-screens'),
  }),

  ...resourcePages(flavorResource, {
    screens: () => import('./areas/compute/flavors/flavor-screens'),
    add: null,
  }),

  ...resourcePages(sshKeyResource, {
    screens: () => import('./areas/compute/ssh-keys/ssh-key-screens'),
    add: () => import('./areas/compute/ssh-keys/SshKeyAddForm'),
  }),

  ...networkingRoutes,
  ...loadBalancingRoutes,
  ...vpnRoutes,

  ...objectStorageRoutes,

  ...resourcePages(recycleBinResource, {
    list: () => import('./areas/storage/recycle-bin/RecycleBinPage'),
    view: () => import('./areas/storage/recycle-bin/RecycledItemPage'),
  }),

  ...identityRoutes,

  route('tasks', () => import('./areas/monitoring/tasks/TaskListPage'), {
    needs: tasks.list.needs,
    texts: 'tasks',
    title: 'list.title',
    menu: { group: 'main', icon: TasksIcon, label: 'menu.tasks' },
  }),
  route('tasks/$id', () => import('./areas/monitoring/tasks/TaskPage'), {
    needs: tasks.view.needs,
    texts: 'tasks',
    title: 'list.task',
    over: 'tasks',
    shows: 'task',
  }),
  route('tasks/runs/$id', () => import('./areas/monitoring/tasks/BulkRunPage'), {
    needs: tasks.list.needs,
    texts: 'bulk',
    title: 'run.title',
    over: 'tasks',
    shows: 'bulk_run',
  }),

  route('alerts', () => import('./areas/monitoring/alerts/AlertListPage'), {
    needs: alerts.list.needs,
    texts: 'alerts',
    title: 'title',
    menu: { group: 'main', icon: AlertsIcon, label: 'menu.alerts' },
  }),
  route('audit-log', () => import('./areas/monitoring/audit/AuditLogPage'), {
    needs: 'audit_log',
    texts: 'audit',
    title: 'title',
    menu: { group: 'main', alsoIn: 'domain', icon: LogIcon, label: 'menu.audit' },
  }),
  route('audit-log/$id', () => import('./areas/monitoring/audit/AuditLinePage'), {
    needs: 'audit_log',
    texts: 'audit',
    title: 'one',
    over: 'audit-log',
  }),
]
