import { images } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { snapshotCan } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { VolumeImageDraft } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { barredByStatus } from './snapshot-words'
import { SnapshotOfAddress } from './SnapshotOfAddress'

/** Creates an image from the snapshot in the URL. */
export default function SnapshotImageForm() {
  const t = useT('storage')
  return (
    <SnapshotOfAddress title={t('volumes.toImage')} isInProject>
      {(snapshot, closeTo) => <Form snapshot={snapshot} closeTo={closeTo} />}
    </SnapshotOfAddress>
  )
}

function Form({ snapshot, closeTo }: { snapshot: VolumeSnapshot; closeTo: string }) {
  const t = useT('storage')
  const upload = useCall(volumeSnapshots.uploadToImage, {
    refresh: [volumeSnapshots.list, images.list, quotas.view],
    done: ({ name }) => toast(t('volumes.toImageBegun', { name })),
  })
  const { id, name } = snapshot
  return (
    <FormDialog
      title={t('snapshots.imageTitle', { name })}
      verb={t('volumes.toImage')}
      schema={VolumeImageDraft}
      start={{ image_name: name }}
      send={(body) => upload.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={snapshotCan('copy', snapshot) ? undefined : barredByStatus(snapshot, t)}
    >
      <TextField name="image_name" label={t('volumes.imageName')} help={t('snapshots.imageHelp')} autoFocus />
    </FormDialog>
  )
}
