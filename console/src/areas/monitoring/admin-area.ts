import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import type { ConsoleArea } from '../../nav/area'
import { route } from '../../nav/route'

/** Alert rule pages for operators. */
export const monitoringAdminArea: ConsoleArea = {
  pages: [
    route('alerts/rules', () => import('./alerts/AlertRuleListPage'), {
      needs: alertRules.list.needs,
      texts: 'alerts',
      panel: 'admin',
      menu: { tabOf: 'alerts', icon: 'AlertsIcon', label: 'menu.alertRules' },
    }),
    route('alerts/rules/$id/edit', () => import('./alerts/AlertRuleEditForm'), {
      needs: alertRules.save.needs,
      texts: 'alerts',
      title: 'rule.edit',
      panel: 'admin',
      over: 'alerts/rules',
    }),
  ],
}
