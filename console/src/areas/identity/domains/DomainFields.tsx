import { useT } from '../../../i18n/use-t'
import { TextField } from '../../../patterns/form/TextField'

export function DomainFields() {
  const t = useT('identity')
  return (
    <>
      <TextField name="name" label={t('domains.name')} autoFocus />
      <TextField name="description" label={t('domains.description')} isOptional />
    </>
  )
}
