import { quotas } from '@mainstay/contract/compute/quotas'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import type identity from '../../../locales/en/identity.json'
import type { ConsoleArea } from '../../nav/area'
import type { PageRoute } from '../../nav/route'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { domainResource } from './domains/resource'
import { groupResource } from './groups/resource'
import { projectResource } from './projects/resource'
import { providerResource } from './providers/resource'
import { userResource } from './users/resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    identity: typeof identity
  }
}

const pages: readonly PageRoute[] = [
  ...resourcePages(domainResource, {
    screens: () => import('./domains/domain-screens'),
    add: null,
    edit: null,
  }),

  ...resourcePages(userResource, {
    list: () => import('./users/UserListPage'),
    add: () => import('./users/UserAddForm'),
    view: () => import('./users/UserPage'),
    edit: { path: '$id/edit/{-$returnRoute}', load: () => import('./users/UserEditForm') },
    more: [
      { path: '$id/$tab', load: tab, needs: users.view.needs, title: 'one' },
      {
        path: '$id/assign/{-$returnRoute}',
        load: () => import('./users/UserAssignForm'),
        needs: users.update.needs,
        title: 'assign',
      },
      {
        path: '$id/password',
        load: () => import('./users/UserPasswordForm'),
        needs: users.update.needs,
        title: 'setPassword',
      },
      {
        path: '$id/link',
        load: () => import('./users/UserLinkPage'),
        needs: users.update.needs,
        title: 'link',
      },
    ],
  }),

  ...resourcePages(groupResource, {
    list: () => import('./groups/GroupListPage'),
    add: () => import('./groups/GroupAddForm'),
    view: () => import('./groups/GroupPage'),
    edit: () => import('./groups/GroupEditForm'),
    more: [
      { path: '$id/$tab', load: tab, needs: groups.view.needs, title: 'one' },
      {
        path: '$id/add-members',
        load: () => import('./groups/GroupAddMembersForm'),
        needs: groups.addMembers.needs,
        title: 'addMembers',
      },
      {
        path: '$id/assign',
        load: () => import('./groups/GroupAssignForm'),
        needs: groups.update.needs,
        title: 'assign',
      },
    ],
  }),

  ...resourcePages(providerResource, {
    list: () => import('./providers/ProviderListPage'),
    add: () => import('./providers/ProviderAddForm'),
    view: () => import('./providers/ProviderPage'),
    edit: () => import('./providers/ProviderEditForm'),
  }),

  ...resourcePages(projectResource, {
    list: () => import('./projects/ProjectListPage'),
    add: () => import('./projects/ProjectAddForm'),
    view: () => import('./projects/ProjectPage'),
    edit: { path: '$id/edit/{-$returnRoute}', load: () => import('./projects/ProjectEditForm') },
    more: [
      { path: '$id/$tab', load: tab, needs: projects.view.needs, title: 'one' },
      {
        path: '$id/assign/{-$returnRoute}',
        load: () => import('./projects/ProjectAssignForm'),
        needs: users.update.needs,
        title: 'assign',
      },
      {
        path: '$id/unassign/{-$returnRoute}',
        load: () => import('./projects/ProjectUnassignForm'),
        needs: users.update.needs,
        title: 'removeMany',
      },
      {
        path: '$id/set-quotas',
        load: () => import('./projects/ProjectQuotasForm'),
        needs: quotas.set.needs,
        title: 'setQuotas',
      },
    ],
  }),
]

/** Pages for domains, users, groups, identity providers and projects. */
export const identityArea: ConsoleArea = { pages }
