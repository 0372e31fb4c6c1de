import { useFieldArray } from 'react-hook-form'
import { useT } from '../../../i18n/use-t'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { Button } from '../../../ui/Button'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { TextArea } from '../../../ui/fields/TextArea'
import { useTargets, type Target } from './use-targets'
import css from './RulesField.module.css'

type Targets = ReturnType<typeof useTargets>

/** Rules that map groups from the provider to groups and roles here. */
export function RulesField({ domainId }: { domainId: string }) {
  const t = useT('identity')
  const targets = useTargets(domainId)
  const { fields, append, remove } = useFieldArray({ name: 'mapping.rules' })
  return (
    <fieldset className={css.rules}>
      <legend className={css.legend}>{t('providers.rules')}</legend>
      <p className={css.help}>{t('providers.rulesHelp')}</p>
      {fields.map(({ id }, at) => (
        <div key={id} className={css.rule} role="group" aria-label={t('providers.rule', { number: at + 1 })}>
          <TextField name={`mapping.rules.${at}.name`} label={t('providers.ruleName')} />
          <Values name={`mapping.rules.${at}.values`} />
          <Gives at={at} targets={targets} />
          <Button variant="plain" onPress={() => remove(at)}>
            {t('providers.removeRule')}
          </Button>
        </div>
      ))}
      <div>
        <Button
          onPress={() =>
            append({
              ...{ name: '', claim: null, values: [] },
              ...{ group_id: null, domain_permission: null, project_id: null, role: null },
            })
          }
        >
          {t('providers.addRule')}
        </Button>
      </div>
    </fieldset>
  )
}

/** Accepts one value per line, since group names may contain commas and spaces. */
function Values({ name }: { name: string }) {
  const t = useT('identity')
  const { value, onChange, ...bound } = useBound<string[]>(name)
  return (
    <TextArea
      {...bound}
      label={t('providers.values')}
      help={t('providers.valuesHelp')}
      isMono
      value={value.join('\n')}
      onChange={(text: string) => onChange(text === '' ? [] : text.split('\n'))}
    />
  )
}

function Gives({ at, targets: { items, idOf, targetOf } }: { at: number; targets: Targets }) {
  const t = useT('identity')
  const group = useBound<Target['group_id']>(`mapping.rules.${at}.group_id`)
  const permission = useBound<Target['domain_permission']>(`mapping.rules.${at}.domain_permission`)
  const project = useBound<Target['project_id']>(`mapping.rules.${at}.project_id`)
  const role = useBound<Target['role']>(`mapping.rules.${at}.role`)
  const chosen = {
    group_id: group.value,
    domain_permission: permission.value,
    project_id: project.value,
    role: role.value,
  }
  return (
    <>
      <ComboBox
        label={t('providers.gives')}
        items={items}
        value={idOf(chosen)}
        isDisabled={group.isDisabled}
        error={group.error ?? permission.error ?? project.error}
        onBlur={group.onBlur}
        onChange={(id) => {
          const target = targetOf(id)
          group.onChange(target.group_id)
          permission.onChange(target.domain_permission)
          project.onChange(target.project_id)
          role.onChange(target.role)
        }}
      />
      <FieldFault>{role.error}</FieldFault>
    </>
  )
}
