import type vpn from '../../../locales/en/vpn.json'
import type { ConsoleArea } from '../../nav/area'
import type { PageRoute } from '../../nav/route'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { vpnResource } from './resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    vpn: typeof vpn
  }
}

const { calls } = vpnResource
const views = () => import('./views')
const forms = () => import('./forms')

const pages: readonly PageRoute[] = resourcePages(vpnResource, {
  list: () => views().then(({ VpnListPage }) => ({ default: VpnListPage })),
  add: {
    path: 'add/{-$step}',
    load: () => forms().then(({ VpnAddPage }) => ({ default: VpnAddPage })),
    isAlone: true,
    // users with read access may open the form in an iframe; the server rejects requests without permission (S1§2)
    framedNeeds: calls.list.needs,
  },
  // the page is shown without the list because the traffic path above the tabs needs the space
  view: { load: () => views().then(({ VpnPage }) => ({ default: VpnPage })), isAlone: true },
  // `list` returns to the list, any other value to the details
  edit: {
    path: '$id/edit/{-$returnRoute}',
    load: () => forms().then(({ VpnEditForm }) => ({ default: VpnEditForm })),
  },
  more: [{ path: '$id/$tab', load: tab, needs: calls.view.needs, title: 'one' }],
})

/** VPN connection pages (S1§2). */
export const vpnArea: ConsoleArea = { pages }
