import { AlertGroup, AlertSeverity, AlertType } from '@mainstay/contract/monitoring/alert-rules'
import { alertKind, alerts, type Alert, type AlertChange } from '@mainstay/contract/monitoring/alerts'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { adviceText, alertText, alertTitle, valueText } from '../../../notices/alert-words'
import { Page } from '../../../patterns/Page'
import { columns } from '../../../patterns/table/columns'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { HideIcon, ShowIcon } from '../../../ui/icons'
import { AlertObject } from './AlertObject'
import { AlertState } from './AlertState'
import { Severity } from './Severity'
import { suspendActions } from './suspend-actions'
import { useSaved } from './use-saved'

const column = columns<Alert>('alerts')
const shown = [
  column.node('type', 'what', (alert) => alertTitle([alert]), { width: 260 }),
  column.node('urgency', 'severity', ({ severity }) => <Severity severity={severity} />, { width: 120, card: 'state' }),
  column.node('object_name', 'object', (alert, { tabIndex }) => <AlertObject alert={alert} tabIndex={tabIndex} />, {
    width: 170,
    card: 'plain',
  }),
  column.node('state', 'state', (alert) => <AlertState alert={alert} />, { width: 130, card: 'plain' }),
  column.time('datetime', 'since', { width: 120 }),
  column.node('value', 'value', ({ value, unit }, { t }) => valueText(value, unit, t), { width: 100, isAtEnd: true }),
  column.node('advice', 'advice', ({ type, details }) => <span title={details ?? undefined}>{adviceText(type)}</span>, {
    width: 320,
  }),
  column.project('project_id'),
  column.time('closed_at', 'closed', { isHidden: true }),
  column.id('id', 'id', { isHidden: true }),
]

/** Lists open alerts, most severe first, followed by closed ones. */
export default function AlertListPage() {
  const t = useT('alerts')
  const may = useMay()
  const list = useList(alerts.list, alertKind)
  const save = useSaved(alerts.save, alerts.list)
  const change = (id: string, part: Omit<AlertChange, 'id'>) => save({ body: { id, ...part } })
  const actions = (alert: Alert): RowAction[] =>
    may(alerts.save.needs) && alert.state === 'raised'
      ? [
          {
            label: t(alert.enabled ? 'ignore' : 'heed'),
            icon: alert.enabled ? HideIcon : ShowIcon,
            run: () => change(alert.id, { enabled: !alert.enabled }),
          },
          ...suspendActions(alert, t, (suspension) => change(alert.id, suspension)),
        ]
      : []

  return (
    <Page title={t('title')} isFilled>
      <ResourceTable
        list={list}
        label={t('title')}
        columns={shown}
        actions={actions}
        filters={[
          {
            name: 'state',
            label: t('state'),
            options: (['raised', 'closed'] as const).map((value) => ({ value, label: t(`state.${value}`) })),
          },
          {
            name: 'type',
            label: t('what'),
            options: AlertType.options.map((value) => ({ value, label: alertText(value) })),
          },
          {
            name: 'severity',
            label: t('severity'),
            options: AlertSeverity.options.map((value) => ({ value, label: t(`severity.${value}`) })),
          },
          {
            name: 'group',
            label: t('group'),
            options: AlertGroup.options.map((value) => ({ value, label: t(`group.${value}`) })),
          },
        ]}
        empty={t('empty')}
      />
    </Page>
  )
}
