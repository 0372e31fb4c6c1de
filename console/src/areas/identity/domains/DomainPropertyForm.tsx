import * as z from 'zod'
import {
  domainProperties,
  propertyAccess,
  PropertyAccess,
  PropertyKey,
  type DomainProperty,
} from '@mainstay/contract/identity/domain-properties'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Select, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useSetProperty } from '../../../patterns/theme/use-set-property'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const Form = z.object({
  key: PropertyKey,
  access: PropertyAccess,
  data: z.string().refine(isJson, { error: () => textsNow('identity')('props.data.invalid') }),
})

interface DomainPropertyFormProps {
  domainId: string
  /** The property to edit, or null to add one. */
  property: Omit<DomainProperty, 'data'> | null
  onClose: () => void
}

/** Edits a domain property: its key, who can read it, and its data as JSON. */
export default function DomainPropertyForm({ domainId, property, onClose }: DomainPropertyFormProps) {
  const t = useT('identity')
  const set = useSetProperty(domainId)
  const params = { domain_id: domainId, key: property?.key ?? '-' }
  const { data, isLoading } = useView(domainProperties.view, params, { isEnabled: property !== null })
  if (property && isLoading) return null
  return (
    <FormDialog
      place="middle"
      title={property ? t('props.edit', { key: property.key }) : t('props.add')}
      verb={property ? t('props.save') : t('props.add')}
      schema={Form}
      start={{
        key: property?.key ?? '',
        access: property?.access ?? 'domain',
        data: property ? JSON.stringify(data, null, 2) : '',
      }}
      send={({ data: text, ...rest }) => set({ ...rest, data: JSON.parse(text) as unknown })}
      onClose={onClose}
    >
      {!property && <TextField name="key" label={t('props.key')} help={t('props.key.help')} isMono autoFocus />}
      <Select
        name="access"
        label={t('props.access')}
        items={propertyAccess.map((one) => ({ id: one, label: t(`props.access.${one}`) }))}
      />
      <TextArea name="data" label={t('props.data')} help={t('props.data.help')} isMono rows={6} />
    </FormDialog>
  )
}
