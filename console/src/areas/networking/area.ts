import { create, read, update } from '@mainstay/contract/core/endpoint'
import type networking from '../../../locales/en/networking.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { floatingIpResource } from './floating-ips/resource'
import type * as forms from './forms'
import { networkResource } from './networks/resource'
import { reachPath } from './reach/path'
import { routerResource } from './routers/resource'
import { securityGroupResource } from './security-groups/resource'
import { topologyPath } from './topology/path'
import type * as views from './views'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    networking: typeof networking
  }
}

type Views = typeof views
type Forms = typeof forms
const viewOf =
  <Name extends keyof Views>(name: Name) =>
  (): Promise<{ default: Views[Name] }> =>
    import('./views').then(({ [name]: it }) => ({ default: it }))
const formOf =
  <Name extends keyof Forms>(name: Name) =>
  (): Promise<{ default: Forms[Name] }> =>
    import('./forms').then(({ [name]: it }) => ({ default: it }))

const pages: readonly PageRoute[] = [
  ...resourcePages(networkResource, {
    list: viewOf('NetworkListPage'),
    add: formOf('NetworkAddForm'),
    // a full page instead of a drawer, since address maps require space
    view: { load: viewOf('NetworkPage'), isAlone: true },
    edit: formOf('NetworkEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: networkResource.calls.view.needs, title: 'one' },
      {
        path: '$id/add-subnet',
        load: formOf('SubnetAddForm'),
        needs: create('compute_subnets'),
        title: 'edit',
      },
      // the last path is used by pages embedded in other applications
      ...['editIPv4subnet', 'editIPv6subnet', 'edit-ipv4-subnet'].map((form) => ({
        path: `$id/${form}/$subnetId`,
        ...{ load: formOf('SubnetEditForm'), needs: networkResource.calls.update.needs, title: 'edit' },
      })),
      {
        path: '$id/access-edit',
        load: formOf('AccessEditForm'),
        needs: networkResource.calls.update.needs,
        title: 'edit',
      },
    ],
  }),

  ...resourcePages(routerResource, {
    list: viewOf('RouterListPage'),
    add: formOf('RouterAddForm'),
    view: { load: viewOf('RouterPage'), isAlone: true },
    edit: formOf('RouterEdit'),
    more: [
      { path: '$id/$tab', load: tab, needs: routerResource.calls.view.needs, title: 'one' },
      ...(
        [
          ['edit-gateway', 'RouterGateway', 'editGateway'],
          ['interfaces/add', 'RouterInterfaceAdd', 'addInterface'],
          ['interfaces/$itemId/edit', 'InterfaceEditForm', 'editInterface'],
          ['routes/add', 'RouteForm', 'addRoute'],
          ['routes/$itemId/edit', 'RouteForm', 'editRoute'],
        ] as const
      ).map(([at, form, title]) => ({
        ...{ path: `$id/${at}`, load: formOf(form), needs: routerResource.calls.update.needs, title },
      })),
    ],
  }),
  // these forms also open over the list, from a row's menu
  ...(
    [
      ['edit', 'RouterEditOverList', 'routers.edit'],
      ['edit-gateway', 'RouterGatewayOverList', 'routers.editGateway'],
      ['add-interface', 'RouterInterfaceOverList', 'routers.addInterface'],
    ] as const
  ).map(([at, form, title]) =>
    route(`${routerResource.path}/${at}/$id`, formOf(form), {
      ...{ needs: routerResource.calls.update.needs, texts: 'networking', title, over: routerResource.path },
    }),
  ),

  ...resourcePages(floatingIpResource, {
    list: viewOf('FloatingIpListPage'),
    add: formOf('FloatingIpAddForm'),
    view: viewOf('FloatingIpPage'),
  }),
  ...(
    [
      ['assign', 'FloatingIpAssignForm', 'floatingIps.assign'],
      ['edit', 'FloatingIpEditForm', 'floatingIps.edit'],
    ] as const
  ).map(([at, form, title]) =>
    route(`${floatingIpResource.path}/$id/${at}`, formOf(form), {
      ...{ needs: update('compute_networks_floating_ips'), texts: 'networking', title, over: floatingIpResource.path },
    }),
  ),

  route(topologyPath.slice(1), viewOf('TopologyPage'), {
    needs: read('compute_networks'),
    texts: 'networking',
    menu: { in: 'network.networks', icon: 'TopologyIcon', label: 'menu.topology' },
  }),

  ...resourcePages(securityGroupResource, {
    screens: viewOf('securityGroupScreens'),
    add: formOf('SecurityGroupAddForm'),
    view: { load: viewOf('SecurityGroupPage'), isAlone: true },
    edit: { path: '$id/edit/{-$returnRoute}', load: formOf('SecurityGroupEditForm') },
  }),
  route(`${securityGroupResource.path}/$id/rules`, viewOf('SecurityGroupRulesPage'), {
    ...{ needs: create('compute_security_group_rules'), texts: 'networking', title: 'rules.title' },
  }),

  route(reachPath.slice(1), viewOf('ReachPage'), {
    needs: read('compute_networks'),
    texts: 'networking',
    menu: { in: 'network.access', icon: 'RouteIcon', label: 'menu.reach' },
  }),
]

/** Pages for networks, routers, floating IPs and security groups. */
export const networkingArea: ConsoleArea = { pages }
