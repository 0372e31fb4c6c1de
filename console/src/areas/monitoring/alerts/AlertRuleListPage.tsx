import {
  alertRuleKind,
  alertRules,
  type AlertRule,
  type AlertRuleChange,
} from '@mainstay/contract/monitoring/alert-rules'
import { useList } from '../../../api/use-list'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { alertText, valueText } from '../../../notices/alert-words'
import { Page } from '../../../patterns/Page'
import { columns } from '../../../patterns/table/columns'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { EditIcon, PowerIcon } from '../../../ui/icons'
import { RuleState } from './RuleState'
import { Severity } from './Severity'
import { suspendActions } from './suspend-actions'
import { useSaved } from './use-saved'

const column = columns<AlertRule>('alerts')

function Duration({ seconds }: { seconds: number }) {
  const t = useT('alerts')
  const format = useFormat()
  return seconds === 0 ? t('duration.none') : format.duration(seconds * 1000)
}

const shown = [
  column.node('type', 'what', ({ type }) => alertText(type), { width: 300 }),
  column.node('severity', 'severity', ({ severity }) => <Severity severity={severity} />, {
    width: 120,
    card: 'plain',
  }),
  column.node('group', 'group', ({ group }, { t }) => t(`group.${group}`), { width: 110 }),
  column.node('threshold', 'threshold', ({ threshold, unit }, { t }) => valueText(threshold, unit, t), {
    ...{ width: 110, isAtEnd: true },
  }),
  column.node('duration', 'duration', ({ duration_seconds }) => <Duration seconds={duration_seconds} />, {
    ...{ width: 110, isAtEnd: true },
  }),
  column.node('state', 'state', (rule) => <RuleState rule={rule} />, { width: 240, card: 'state' }),
]

/** Lists the alert rules, which operators can edit, disable and suspend. */
export default function AlertRuleListPage() {
  const t = useT('alerts')
  const may = useMay()
  const go = useAppNavigate()
  const list = useList(alertRules.list, alertRuleKind)
  const save = useSaved(alertRules.save, alertRules.list)
  const change = (id: AlertRule['id'], part: Omit<AlertRuleChange, 'id'>) => save({ body: { id, ...part } })
  const actions = (rule: AlertRule): RowAction[] =>
    may(alertRules.save.needs)
      ? [
          {
            label: t('rule.edit'),
            icon: EditIcon,
            isLikely: true,
            run: () => go(`/alerts/rules/${rule.id}/edit`, { keepsSearch: true }),
          },
          {
            label: t(rule.enabled ? 'rule.disable' : 'rule.enable'),
            icon: PowerIcon,
            run: () => change(rule.id, { enabled: !rule.enabled }),
          },
          ...suspendActions(rule, t, (suspension) => change(rule.id, suspension)),
        ]
      : []
  return (
    <Page title={t('rules')} isFilled>
      <ResourceTable list={list} label={t('rules')} columns={shown} actions={actions} empty={t('rules.empty')} />
    </Page>
  )
}
