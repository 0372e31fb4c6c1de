import { useMemo } from 'react'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Checkbox, NumberField, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Banner } from '../../../ui/feedback/Banner'
import { putRules, type Held, type Rule } from '../client/settings'

/** Maximum length of a key. */
const MOST_PREFIX = 1024

const days = z.number().int().min(1).nullable()
const fields = {
  prefix: z.string().max(MOST_PREFIX),
  objectDays: days,
  versionDays: days,
  keptVersions: z.number().int().min(1).max(100).nullable(),
  uploadDays: days,
  endsMarkers: z.boolean(),
  isOn: z.boolean(),
}

const none: Rule = {
  ...{ id: '', isOn: true, prefix: '', objectDays: null, versionDays: null, keptVersions: null, uploadDays: null },
  ...{ endsMarkers: false, source: null },
}

interface RuleFormProps {
  bucket: string
  /** All rules as they were when the form opened; saving replaces all of them. */
  held: Held<Rule>
  /** The rule to edit; null for a new one. */
  rule: Rule | null
  keepsVersions: boolean
  onClose: (isDone: boolean) => void
}

/** Form for a lifecycle rule. */
export function RuleForm({ bucket, held, rule, keepsVersions, onClose }: RuleFormProps) {
  const t = useT('objectStorage')
  const schema = useMemo(
    () =>
      z.object(fields).superRefine((it, context) => {
        const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
        const isNothing = it.objectDays === null && it.versionDays === null && it.uploadDays === null
        if (isNothing && !it.endsMarkers) fault('objectDays', t('rules.nothing'))
        if (it.keptVersions !== null && it.versionDays === null) fault('versionDays', t('rules.keptNeedsDays'))
        if (it.endsMarkers && it.objectDays !== null) fault('endsMarkers', t('rules.markersAlready'))
      }),
    [t],
  )
  const { id, source, ...start } = rule ?? none
  async function send(next: z.output<typeof schema>) {
    const made: Rule = { ...next, id: id === '' ? crypto.randomUUID() : id, source }
    const { rules, document } = held
    await putRules(bucket, rule ? rules.map((it) => (it === rule ? made : it)) : [...rules, made], document)
    toast(t('rules.saved'))
  }
  const isFixed = source !== null
  const unit = t('rules.daysUnit')
  return (
    <FormDialog
      title={t(rule ? 'rules.edit' : 'rules.add')}
      verb={t(rule ? 'rules.save' : 'rules.add')}
      schema={schema}
      start={start}
      send={send}
      onClose={onClose}
      code="none"
    >
      {isFixed ? (
        // the rule has elements that the form has no fields for, so it can only be enabled or disabled
        <Banner tone="idle">{t('rules.fixed')}</Banner>
      ) : (
        <>
          <TextField
            name="prefix"
            label={t('rules.prefix')}
            help={t('rules.prefixHelp')}
            placeholder="logs/"
            isOptional
            autoFocus
          />
          <NumberField
            name="objectDays"
            label={t('rules.objectDays')}
            help={t(keepsVersions ? 'rules.objectDaysVersions' : 'rules.objectDaysHelp')}
            {...{ unit, minValue: 1, isOptional: true }}
          />
          {keepsVersions && (
            <>
              <NumberField
                name="versionDays"
                label={t('rules.versionDays')}
                help={t('rules.versionDaysHelp')}
                {...{ unit, minValue: 1, isOptional: true }}
              />
              <NumberField
                name="keptVersions"
                label={t('rules.keptVersions')}
                help={t('rules.keptVersionsHelp')}
                {...{ minValue: 1, maxValue: 100, isOptional: true }}
              />
              <Checkbox name="endsMarkers">{t('rules.endsMarkers')}</Checkbox>
            </>
          )}
          <NumberField
            name="uploadDays"
            label={t('rules.uploadDays')}
            help={t('rules.uploadDaysHelp')}
            {...{ unit, minValue: 1, isOptional: true }}
          />
        </>
      )}
      <Checkbox name="isOn">{t('rules.isOn')}</Checkbox>
    </FormDialog>
  )
}
