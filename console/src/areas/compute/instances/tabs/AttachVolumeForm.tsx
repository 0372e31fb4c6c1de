import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { volumes } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { Checkbox } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useBound } from '../../../../patterns/form/use-bound'
import { VolumePicker } from '../../../../pickers/VolumePicker'
import { FieldFault } from '../../../../patterns/form/FieldFault'

interface AttachVolumeFormProps {
  instance: Pick<Instance, 'id' | 'name'>
  onClose: () => void
}

export function AttachVolumeForm({ instance: { id, name }, onClose }: AttachVolumeFormProps) {
  const t = useT('instance')
  const attach = useCall(instances.attachVolume, { refresh: [volumes.list] })
  const schema = z.object({
    volume_id: z.string().min(1, t('instances.chooseVolume')),
    delete_on_termination: z.boolean(),
  })
  return (
    <FormDialog
      title={t('instances.attachTo', { name })}
      verb={t('instances.attach')}
      schema={schema}
      start={{ volume_id: '', delete_on_termination: false }}
      send={(body) => attach.run({ params: { id }, body: { event: 'attachVolume', ...body } })}
      onClose={onClose}
    >
      <Volume />
      <Checkbox name="delete_on_termination">{t('instances.deleteWith')}</Checkbox>
    </FormDialog>
  )
}

function Volume() {
  const { value, onChange, error } = useBound<string>('volume_id')
  return (
    <div>
      <VolumePicker chosen={value === '' ? [] : [value]} onChoose={({ id }) => onChange(id)} />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
