import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import type compute from '../../../locales/en/compute.json'
import type consoleTexts from '../../../locales/en/console.json'
import type imageTexts from '../../../locales/en/images.json'
import type instance from '../../../locales/en/instance.json'
import type instanceTexts from '../../../locales/en/instances.json'
import type sources from '../../../locales/en/sources.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { withTexts } from '../../nav/with-texts'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { withPickers } from '../../pickers/with-pickers'
import { flavorResource } from './flavors/resource'
import { imageResource } from './images/resource'
import { instanceResource } from './instances/resource'
import { serverGroupResource } from './server-groups/resource'
import { sshKeyResource } from './ssh-keys/resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    compute: typeof compute
    console: typeof consoleTexts
    images: typeof imageTexts
    instance: typeof instance
    instances: typeof instanceTexts
    sources: typeof sources
  }
}

/** Instance pages use additional UI strings that the list does not load. */
const ofInstance = <Page>(load: () => Promise<Page>) => withTexts('instance', load)

const pages: readonly PageRoute[] = [
  ...resourcePages(instanceResource, {
    list: () => import('./instances/list/InstanceListPage'),
    // a single component renders all wizard steps (flavor, image, key, networks, volumes, script), so that form values
    // are kept when the step changes
    add: {
      path: 'add/{-$step}',
      load: ofInstance(withPickers(() => import('./instances/add/InstanceAddPage'))),
      isAlone: true,
    },
    view: ofInstance(withTexts('locks', () => import('./instances/InstancePage'))),
    // `subject` is the part of the instance to edit (S1§2)
    edit: {
      path: '$id/edit/$subject',
      load: ofInstance(withPickers(() => import('./instances/edit/InstanceEditForm'))),
    },
    more: [{ path: '$id/$tab', load: tab, needs: instances.view.needs, title: 'one' }],
  }),
  // full page, as a larger alternative to the details drawer
  route(
    `${instanceResource.path}/$id/page`,
    ofInstance(
      withTexts(
        'alerts',
        withTexts('monitoring', () => import('./instances/page/MachinePage')),
      ),
    ),
    { needs: instances.view.needs, texts: 'instances', title: 'instances.one' },
  ),
  route(
    `${instanceResource.path}/$id/page/edit/$subject`,
    ofInstance(withPickers(() => import('./instances/page/MachineEditForm'))),
    {
      needs: instances.update.needs,
      texts: 'instances',
      title: 'instances.edit',
      over: `${instanceResource.path}/$id/page`,
    },
  ),
  // Opens in a separate window and can be bookmarked, so it handles signed-out users itself (S1§2).
  route('compute/servers/instances/$id/console', () => import('./instances/console/ConsolePage'), {
    needs: 'public',
    texts: 'console',
    title: 'console.title',
    frame: 'bare',
  }),

  ...resourcePages(imageResource, {
    list: () => import('./images/ImageListPage'),
    add: () => import('./images/ImageAddForm'),
    view: () => import('./images/ImagePage'),
  }),

  route(`${imageResource.path}/sources`, () => import('./images/ImageSourcesPage'), {
    needs: images.create.needs,
    texts: 'sources',
    title: 'sources.add',
    over: imageResource.path,
  }),

  ...resourcePages(serverGroupResource, {
    screens: () => import('./server-groups/server-group-screens'),
  }),

  ...resourcePages(flavorResource, {
    screens: () => import('./flavors/flavor-screens'),
    add: null,
  }),

  ...resourcePages(sshKeyResource, {
    screens: () => import('./ssh-keys/ssh-key-screens'),
    add: () => import('./ssh-keys/SshKeyAddForm'),
  }),
]

/** Virtual machines, images, server groups, SSH keys and flavors. */
export const computeArea: ConsoleArea = { pages }
