import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { useT } from '../../../i18n/use-t'
import { PageTabs } from '../../../patterns/PageTabs'
import { useMay } from '../../../session/may'

/** Alerts and, for operators, the rules that raise them. */
export function AlertTabs({ selected }: { selected: 'alerts' | 'rules' }) {
  const t = useT('alerts')
  const may = useMay()
  const items = [
    { id: 'alerts', label: t('title'), to: '/alerts', needs: alerts.list.needs },
    { id: 'rules', label: t('rules'), to: '/alerts/rules', needs: alertRules.list.needs },
  ]
  return <PageTabs label={t('tabs')} selected={selected} items={items.filter(({ needs }) => may(needs))} />
}
