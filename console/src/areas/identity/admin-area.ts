import { domainQuotas } from '@mainstay/contract/compute/quotas'
import { engines } from '@mainstay/contract/infrastructure/engines'
import type { ConsoleArea } from '../../nav/area'
import { route } from '../../nav/route'
import { resourcePages } from '../../patterns/resource/resource-pages'
import { domainResource } from './domains/resource'

/** Domain pages and the system administrator list in the administration panel. */
export const identityAdminArea: ConsoleArea = {
  pages: [
    ...resourcePages(domainResource, {
      panel: 'admin',
      screens: () => import('./domains/domain-screens'),
      list: null,
      add: () => import('./domains/DomainAddForm'),
      view: null,
      more: [
        {
          path: '$id/set-quotas',
          load: () => import('./domains/DomainQuotasForm'),
          needs: domainQuotas.set.needs,
          title: 'setQuotas',
        },
      ],
    }),
    // only operators may see who the system administrators are
    route('system-administrators', () => import('./users/OperatorListPage'), {
      needs: engines.list.needs,
      texts: 'identity',
      panel: 'admin',
      menu: { in: 'people.accounts', icon: 'ProtectionIcon', label: 'menu.operators' },
    }),
  ],
}
