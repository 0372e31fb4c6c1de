import { tasks } from '@mainstay/contract/core/tasks'
import { alertKind, alerts } from '@mainstay/contract/monitoring/alerts'
import type alertTexts from '../../../locales/en/alerts.json'
import type audit from '../../../locales/en/audit.json'
import type bulk from '../../../locales/en/bulk.json'
import type monitoring from '../../../locales/en/monitoring.json'
import type taskTexts from '../../../locales/en/tasks.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { withTexts } from '../../nav/with-texts'
import { openAlerts } from '../../notices/open-alerts'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    alerts: typeof alertTexts
    audit: typeof audit
    bulk: typeof bulk
    monitoring: typeof monitoring
    tasks: typeof taskTexts
  }
}

const pages: readonly PageRoute[] = [
  route(
    'monitoring',
    withTexts(
      'tasks',
      withTexts('alerts', () => import('./overview/OverviewPage')),
    ),
    {
      needs: 'overview',
      texts: 'monitoring',
      menu: { in: 'overview', icon: 'OverviewIcon', label: 'menu.monitoring', service: 'compute', key: 'm' },
    },
  ),

  route('alerts', () => import('./alerts/AlertListPage'), {
    needs: alerts.list.needs,
    texts: 'alerts',
    menu: {
      in: 'overview',
      icon: 'AlertsIcon',
      label: 'menu.alerts',
      alerts: { call: alerts.list, kind: alertKind, only: openAlerts },
    },
  }),

  route('tasks', () => import('./tasks/TaskListPage'), {
    needs: tasks.list.needs,
    texts: 'tasks',
    menu: { in: 'overview', icon: 'TasksIcon', label: 'menu.tasks' },
  }),
  route('tasks/$id', () => import('./tasks/TaskPage'), {
    needs: tasks.view.needs,
    texts: 'tasks',
    title: 'list.task',
    over: 'tasks',
    shows: 'task',
  }),
  route('tasks/runs/$id', () => import('./tasks/BulkRunPage'), {
    needs: tasks.list.needs,
    texts: 'bulk',
    title: 'run.title',
    over: 'tasks',
    shows: 'bulk_run',
  }),

  route('audit-log', () => import('./audit/AuditLogPage'), {
    needs: 'audit_log',
    texts: 'audit',
    menu: { in: 'overview', inDomain: 'people.records', icon: 'LogIcon', label: 'menu.audit' },
  }),
  route('audit-log/$id', () => import('./audit/AuditLinePage'), {
    needs: 'audit_log',
    texts: 'audit',
    title: 'one',
    over: 'audit-log',
  }),
]

/** Overview, alerts, tasks and the audit log. */
export const monitoringArea: ConsoleArea = { pages }
