import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Checkbox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { changeOf, volumeEditForm } from './volume-form'

interface VolumeEditFormProps {
  volume: Volume
  onClose: () => void
}

/** Edits a volume's name, description and bootable flag. */
export function VolumeEditForm({ volume, onClose }: VolumeEditFormProps) {
  const t = useT('storage')
  const update = useCall(volumes.update, {
    refresh: [volumes.list, volumes.view],
    done: ({ name }) => toast(t('volumes.saved', { name })),
  })
  const { name, description, bootable } = volume
  return (
    <FormDialog
      title={t('volumes.editTitle', { name })}
      verb={t('volumes.save')}
      schema={volumeEditForm}
      start={{ name, description, bootable }}
      send={(form) => update.run({ params: { id: volume.id }, body: changeOf(volume, form) })}
      onClose={onClose}
    >
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <TextArea name="description" label={t('volumes.description')} isOptional rows={2} />
      <Checkbox name="bootable" help={t('volumes.bootableHelp')}>
        {t('volumes.bootableChoice')}
      </Checkbox>
    </FormDialog>
  )
}
