import { images } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { VolumeImageDraft, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { VolumeOfAddress } from './VolumeOfAddress'

/** Creates an image from the volume in the URL. */
export default function VolumeImageForm() {
  const t = useT('storage')
  return (
    <VolumeOfAddress title={t('volumes.toImage')}>
      {(volume, closeTo) => <Form volume={volume} closeTo={closeTo} />}
    </VolumeOfAddress>
  )
}

function Form({ volume, closeTo }: { volume: Volume; closeTo: string }) {
  const t = useT('storage')
  const upload = useCall(volumes.uploadToImage, {
    refresh: [volumes.list, volumes.view, images.list, quotas.view],
    done: ({ name }) => toast(t('volumes.toImageBegun', { name })),
  })
  return (
    <FormDialog
      title={t('volumes.toImageTitle', { name: volume.name })}
      verb={t('volumes.toImage')}
      schema={VolumeImageDraft}
      start={{ image_name: volume.name }}
      send={(body) => upload.run({ params: { id: volume.id }, body })}
      closeTo={closeTo}
    >
      <TextField name="image_name" label={t('volumes.imageName')} help={t('volumes.toImageHelp')} autoFocus />
    </FormDialog>
  )
}
