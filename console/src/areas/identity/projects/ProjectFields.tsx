import { useT } from '../../../i18n/use-t'
import { Checkbox, TextField } from '../../../patterns/form/form-fields'

export function ProjectFields() {
  const t = useT('identity')
  return (
    <>
      <TextField name="name" label={t('projects.name')} autoFocus />
      <TextField name="description" label={t('projects.description')} isOptional />
      <Checkbox name="enabled" help={t('projects.enabledHelp')}>
        {t('projects.enabled')}
      </Checkbox>
    </>
  )
}
