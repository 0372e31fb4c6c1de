import { alertRuleKind, alertRules, AlertSeverity, type AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import { useState } from 'react'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { alertText } from '../../../notices/alert-words'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { NumberField, Select } from '../../../patterns/form/form-fields'
import { changeOf, MOST_MINUTES, ruleForm, startOf } from './rule-form'

/** `/alerts/rules/{id}/edit`: edits a rule's threshold, duration and severity. */
export default function AlertRuleEditForm() {
  const id = useParam('id')
  const { data } = useView(alertRules.view, { id }, { kind: alertRuleKind })
  return data ? <RuleForm rule={data} /> : null
}

function RuleForm({ rule }: { rule: AlertRule }) {
  const t = useT('alerts')
  const save = useCall(alertRules.save, { refresh: [alertRules.list], done: () => toast(t('rule.saved')) })
  // keep the initial values even if someone else changes the rule while the form is open
  const [{ schema, start, unit }] = useState(() => ({
    ...{ schema: ruleForm(rule.unit), start: startOf(rule), unit: rule.unit },
  }))
  return (
    <FormDialog
      place="middle"
      title={alertText(rule.type)}
      verb={t('rule.save')}
      schema={schema}
      start={start}
      send={(typed) => save.run({ body: changeOf(rule.id, start, typed) })}
      closeTo="/alerts/rules"
    >
      <Select
        name="severity"
        label={t('severity')}
        items={AlertSeverity.options.map((value) => ({ id: value, label: t(`severity.${value}`) }))}
      />
      {unit !== null && (
        <NumberField
          name="threshold"
          label={t('threshold')}
          unit={t(`unit.${unit}`)}
          minValue={1}
          help={t(unit === 'days' ? 'threshold.below' : 'threshold.above')}
        />
      )}
      <NumberField
        name="minutes"
        label={t('duration')}
        unit={t('unit.minutes')}
        minValue={0}
        maxValue={MOST_MINUTES}
        help={t('duration.help')}
      />
    </FormDialog>
  )
}
