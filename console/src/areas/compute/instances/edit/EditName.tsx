import { InstanceChange, instances, type Instance } from '@mainstay/contract/compute/instances'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { toast } from '../../../../notices/notices'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { TextArea, TextField } from '../../../../patterns/form/form-fields'

export interface EditProps {
  instance: Instance
  closeTo: string
}

const NameAndDescription = InstanceChange.pick({ name: true, description: true }).required()

export function EditName({ instance: { id, name, description }, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const update = useCall(instances.update, {
    refresh: [instances.timeline],
    done: (changed) => toast(t('instances.changed', { name: changed.name })),
  })
  return (
    <FormDialog
      title={t('instances.editName', { name })}
      verb={t('instances.save')}
      schema={NameAndDescription}
      start={{ name, description }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={closeTo}
    >
      <TextField name="name" label={list('instances.name')} autoFocus />
      <TextArea name="description" label={t('instances.description')} isOptional />
    </FormDialog>
  )
}
