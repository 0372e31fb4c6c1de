import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import type protection from '../../../locales/en/protection.json'
import type { ConsoleArea } from '../../nav/area'
import type { PageRoute } from '../../nav/route'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { withPickers } from '../../pickers/with-pickers'
import { backupPlanResource } from './resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    protection: typeof protection
  }
}

const pages: readonly PageRoute[] = resourcePages(backupPlanResource, {
  list: () => import('./list/PlanListPage'),
  // the form is a page of its own, because the next runs are shown beside its fields
  add: { load: () => import('./form/PlanAddPage'), isAlone: true },
  view: { load: withPickers(() => import('./page/PlanPage')), isAlone: true },
  edit: { load: () => import('./form/PlanEditPage'), isAlone: true },
  // the tab is `overview` or `volumes` (S1§2)
  more: [{ path: '$id/$tab', load: tab, needs: backupPlans.view.needs, title: 'one' }],
})

/** Pages for backup plans. */
export const protectionArea: ConsoleArea = { pages }
