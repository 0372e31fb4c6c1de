import { create, read, update } from '@mainstay/contract/core/endpoint'
import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { placements } from '@mainstay/contract/compute/placements'
import { domainQuotas, quotas } from '@mainstay/contract/compute/quotas'
import { tasks } from '@mainstay/contract/core/tasks'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { volumes } from '@mainstay/contract/storage/volumes'
import { flavorResource } from './areas/compute/flavors/resource'
import { imageResource } from './areas/compute/images/resource'
import { instanceResource } from './areas/compute/instances/resource'
import { placementResource, seesPlacements } from './areas/compute/placements/resource'
import { serverGroupResource } from './areas/compute/server-groups/resource'
import { sshKeyResource } from './areas/compute/ssh-keys/resource'
import { domainResource } from './areas/identity/domains/resource'
import { groupResource } from './areas/identity/groups/resource'
import { providerResource } from './areas/identity/providers/resource'
import { projectResource } from './areas/identity/projects/resource'
import { userResource } from './areas/identity/users/resource'
import { floatingIpResource } from './areas/networking/floating-ips/resource'
import type * as forms from './areas/networking/forms'
import { networkResource } from './areas/networking/networks/resource'
import { physical } from './areas/networking/operators/paths'
import { routerResource } from './areas/networking/routers/resource'
import { securityGroupResource } from './areas/networking/security-groups/resource'
import type * as views from './areas/networking/views'
import { recycleBinResource } from './areas/storage/recycle-bin/resource'
import { volumeResource } from './areas/storage/volumes/resource'
import { route, type PageRoute } from './nav/route'
import { withTexts } from './nav/with-texts'
import { resourcePages } from './patterns/resource/resource-pages'
import { withPickers } from './pickers/with-pickers'
import { shellRoutes } from './shell/routes'
import { AlertsIcon, LogIcon, MetricsIcon, OverviewIcon, SettingsIcon, TasksIcon } from './ui/icons'

// the page under it draws its tabs; this one only gives a tab an address
const tab = () => import('./patterns/TabAddress')

type Views = typeof views
type Forms = typeof forms
const networkingView =
  <Name extends keyof Views>(name: Name) =>
  (): Promise<{ default: Views[Name] }> =>
    import('./areas/networking/views').then(({ [name]: it }) => ({ default: it }))
const networkingForm =
  <Name extends keyof Forms>(name: Name) =>
  (): Promise<{ default: Forms[Name] }> =>
    import('./areas/networking/forms').then(({ [name]: it }) => ({ default: it }))

/** Pages of one instance have texts that the list of them does without. */
const ofInstance = <Page>(load: () => Promise<Page>) => withTexts('instance', load)

/** Every page of the console, by resource, and what it is made of. Menus are in this order. */
export const routes: readonly PageRoute[] = [
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
  }),

  ...resourcePages(placementResource, {
    screens: () => import('./areas/compute/placements/placement-screens'),
    list: { needs: seesPlacements },
    view: { needs: seesPlacements },
    more: [
      {
        path: '$id/assign/$carrier',
        load: () => import('./areas/compute/placements/PlacementAssignForm'),
        needs: placements.assign.needs,
        title: 'assign',
      },
    ],
  }),

  ...resourcePages(sshKeyResource, {
    screens: () => import('./areas/compute/ssh-keys/ssh-key-screens'),
    add: () => import('./areas/compute/ssh-keys/SshKeyAddForm'),
  }),

  ...(
    [
      ['topology', networkingView('TopologyPage'), read('compute_networks'), 'topology.title'],
      ['reach', networkingView('ReachPage'), read('compute_networks'), 'reach.title'],
      ['address-use', networkingView('AddressUsePage'), physical.needs, 'operators.use'],
      ['who-has', networkingView('WhoHasPage'), physical.needs, 'operators.who'],
      ['host', networkingView('NetworkHostPage'), physical.needs, 'operators.host'],
    ] as const
  ).map(([at, load, needs, title]) =>
    route(`${networkResource.path}/${at}`, load, { needs, texts: 'networking', title }),
  ),
  ...resourcePages(networkResource, {
    list: networkingView('NetworkListPage'),
    add: networkingForm('NetworkAddForm'),
    // with its addresses drawn, which take the room of the list
    view: { load: networkingView('NetworkPage'), isAlone: true },
    edit: networkingForm('NetworkEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: networkResource.calls.view.needs, title: 'one' },
      {
        path: '$id/add-subnet',
        load: networkingForm('SubnetAddForm'),
        needs: create('compute_subnets'),
        title: 'edit',
      },
      // the last name is that of a page of somebody else's
      ...['editIPv4subnet', 'editIPv6subnet', 'edit-ipv4-subnet'].map((form) => ({
        path: `$id/${form}/$subnetId`,
        ...{ load: networkingForm('SubnetEditForm'), needs: networkResource.calls.update.needs, title: 'edit' },
      })),
      {
        path: '$id/access-edit',
        load: networkingForm('AccessEditForm'),
        needs: networkResource.calls.update.needs,
        title: 'edit',
      },
    ],
  }),

  ...resourcePages(routerResource, {
    list: networkingView('RouterListPage'),
    add: networkingForm('RouterAddForm'),
    view: { load: networkingView('RouterPage'), isAlone: true },
    edit: networkingForm('RouterEdit'),
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
        ...{ path: `$id/${at}`, load: networkingForm(form), needs: routerResource.calls.update.needs, title },
      })),
    ],
  }),
  // the same forms over the list, where the menu of a row leads to them
  ...(
    [
      ['edit', 'RouterEditOverList', 'routers.edit'],
      ['edit-gateway', 'RouterGatewayOverList', 'routers.editGateway'],
      ['add-interface', 'RouterInterfaceOverList', 'routers.addInterface'],
    ] as const
  ).map(([at, form, title]) =>
    route(`${routerResource.path}/${at}/$id`, networkingForm(form), {
      ...{ needs: routerResource.calls.update.needs, texts: 'networking', title, over: routerResource.path },
    }),
  ),

  ...resourcePages(floatingIpResource, {
    list: networkingView('FloatingIpListPage'),
    add: networkingForm('FloatingIpAddForm'),
    view: networkingView('FloatingIpPage'),
  }),
  ...(
    [
      ['assign', 'FloatingIpAssignForm', 'floatingIps.assign'],
      ['edit', 'FloatingIpEditForm', 'floatingIps.edit'],
    ] as const
  ).map(([at, form, title]) =>
    route(`${floatingIpResource.path}/$id/${at}`, networkingForm(form), {
      ...{ needs: update('compute_networks_floating_ips'), texts: 'networking', title, over: floatingIpResource.path },
    }),
  ),

  ...resourcePages(securityGroupResource, {
    screens: networkingView('securityGroupScreens'),
    add: networkingForm('SecurityGroupAddForm'),
    view: { load: networkingView('SecurityGroupPage'), isAlone: true },
    edit: { path: '$id/edit/{-$returnRoute}', load: networkingForm('SecurityGroupEditForm') },
  }),
  route(`${securityGroupResource.path}/$id/rules`, networkingView('SecurityGroupRulesPage'), {
    ...{ needs: create('compute_security_group_rules'), texts: 'networking', title: 'rules.title' },
  }),

  ...resourcePages(recycleBinResource, {
    list: () => import('./areas/storage/recycle-bin/RecycleBinPage'),
    view: () => import('./areas/storage/recycle-bin/RecycledItemPage'),
  }),

  ...resourcePages(domainResource, {
    screens: () => import('./areas/identity/domains/domain-screens'),
    add: () => import('./areas/identity/domains/DomainAddForm'),
    more: [
      {
        path: '$id/set-quotas',
        load: () => import('./areas/identity/domains/DomainQuotasForm'),
        needs: domainQuotas.set.needs,
        title: 'setQuotas',
      },
    ],
  }),

  ...resourcePages(userResource, {
    list: () => import('./areas/identity/users/UserListPage'),
    add: () => import('./areas/identity/users/UserAddForm'),
    view: () => import('./areas/identity/users/UserPage'),
    edit: () => import('./areas/identity/users/UserEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: users.view.needs, title: 'one' },
      {
        path: '$id/assign',
        load: () => import('./areas/identity/users/UserAssignForm'),
        needs: users.update.needs,
        title: 'assign',
      },
      {
        path: '$id/password',
        load: () => import('./areas/identity/users/UserPasswordForm'),
        needs: users.update.needs,
        title: 'setPassword',
      },
      {
        path: '$id/link',
        load: () => import('./areas/identity/users/UserLinkPage'),
        needs: users.update.needs,
        title: 'link',
      },
    ],
  }),

  // who operates the installation is listed for operators alone
  route('system-administrators', () => import('./areas/identity/users/OperatorListPage'), {
    needs: engines.list.needs,
    texts: 'identity',
    title: 'operators.title',
  }),

  ...resourcePages(groupResource, {
    list: () => import('./areas/identity/groups/GroupListPage'),
    add: () => import('./areas/identity/groups/GroupAddForm'),
    view: () => import('./areas/identity/groups/GroupPage'),
    edit: () => import('./areas/identity/groups/GroupEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: groups.view.needs, title: 'one' },
      {
        path: '$id/add-members',
        load: () => import('./areas/identity/groups/GroupAddMembersForm'),
        needs: groups.addMembers.needs,
        title: 'addMembers',
      },
      {
        path: '$id/assign',
        load: () => import('./areas/identity/groups/GroupAssignForm'),
        needs: groups.update.needs,
        title: 'assign',
      },
    ],
  }),

  ...resourcePages(providerResource, {
    list: () => import('./areas/identity/providers/ProviderListPage'),
    add: () => import('./areas/identity/providers/ProviderAddForm'),
    view: () => import('./areas/identity/providers/ProviderPage'),
    edit: () => import('./areas/identity/providers/ProviderEditForm'),
  }),

  ...resourcePages(projectResource, {
    list: () => import('./areas/identity/projects/ProjectListPage'),
    add: () => import('./areas/identity/projects/ProjectAddForm'),
    view: () => import('./areas/identity/projects/ProjectPage'),
    edit: () => import('./areas/identity/projects/ProjectEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: projects.view.needs, title: 'one' },
      {
        path: '$id/assign',
        load: () => import('./areas/identity/projects/ProjectAssignForm'),
        needs: users.update.needs,
        title: 'assign',
      },
      {
        path: '$id/unassign',
        load: () => import('./areas/identity/projects/ProjectUnassignForm'),
        needs: users.update.needs,
        title: 'removeMany',
      },
      {
        path: '$id/set-quotas',
        load: () => import('./areas/identity/projects/ProjectQuotasForm'),
        needs: quotas.set.needs,
        title: 'setQuotas',
      },
    ],
  }),

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
  route('alerts/rules', () => import('./areas/monitoring/alerts/AlertRuleListPage'), {
    needs: alertRules.list.needs,
    texts: 'alerts',
    title: 'rules',
  }),
  route('alerts/rules/$id/edit', () => import('./areas/monitoring/alerts/AlertRuleEditForm'), {
    needs: alertRules.save.needs,
    texts: 'alerts',
    title: 'rule.edit',
    over: 'alerts/rules',
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

  route('engines', () => import('./areas/infrastructure/engines/EngineListPage'), {
    needs: engines.list.needs,
    texts: 'infrastructure',
    title: 'engines.title',
    menu: { group: 'main', icon: MetricsIcon, label: 'menu.engines' },
  }),

  route('settings/email', () => import('./areas/settings/SettingsPage'), {
    needs: 'settings_notifications',
    texts: 'settings',
    title: 'email.title',
    menu: { group: 'main', icon: SettingsIcon, label: 'menu.settings' },
  }),
  route('settings/certificate', () => import('./areas/settings/SettingsPage'), {
    needs: 'ssl',
    texts: 'settings',
    title: 'certificate.title',
  }),
  route('settings/ldap', () => import('./areas/settings/SettingsPage'), {
    needs: 'settings_ldap',
    texts: 'settings',
    title: 'ldap.title',
  }),
  route('settings/sessions', () => import('./areas/settings/SettingsPage'), {
    needs: 'settings_sessions',
    texts: 'settings',
    title: 'sessions.title',
  }),
  route('settings/recycle-bin', () => import('./areas/settings/SettingsPage'), {
    needs: 'settings_recycle_bin',
    texts: 'settings',
    title: 'recycle-bin.title',
  }),
  route('settings/appearance', () => import('./areas/settings/SettingsPage'), {
    needs: update('domain_props'),
    texts: 'settings',
    title: 'appearance.title',
  }),
  // who only reports problems may ask whether that can be done, and has no settings
  route('settings/reports', () => import('./areas/settings/SettingsPage'), {
    needs: 'settings_notifications',
    texts: 'settings',
    title: 'reports.title',
  }),
]
