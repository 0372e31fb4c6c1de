import { read } from '@mainstay/contract/core/endpoint'
import type { ConsoleArea } from '../../nav/area'
import { route, type TabPlace } from '../../nav/route'
import { networkResource } from './networks/resource'

const page = (at: string, load: Parameters<typeof route>[1], menu: Omit<TabPlace, 'tabOf'>) =>
  route(`${networkResource.path}/${at}`, load, {
    // only operators may read nodes
    needs: read('compute_nodes'),
    texts: 'networking',
    panel: 'admin',
    menu: { tabOf: networkResource.path, ...menu },
  })

/** Networking pages for operators, in addition to the list of networks in all tenants. */
export const networkingAdminArea: ConsoleArea = {
  pages: [
    page('address-use', () => import('./operators/AddressUsePage'), { icon: 'NetworkIcon', label: 'menu.addressUse' }),
    page('who-has', () => import('./operators/WhoHasPage'), { icon: 'SearchIcon', label: 'menu.whoHas' }),
    page('host', () => import('./operators/NetworkHostPage'), { icon: 'HostsIcon', label: 'menu.networkHost' }),
  ],
}
