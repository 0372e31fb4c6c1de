import { snapshotCan } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { changeOf, snapshotForm } from './snapshot-form'
import { barredByStatus } from './snapshot-words'
import { SnapshotOfAddress } from './SnapshotOfAddress'

/** Edits the name and the description of the snapshot in the URL. */
export default function SnapshotEditForm() {
  const t = useT('storage')
  return (
    <SnapshotOfAddress title={t('snapshots.edit')}>
      {(snapshot, closeTo) => <Form snapshot={snapshot} closeTo={closeTo} />}
    </SnapshotOfAddress>
  )
}

function Form({ snapshot, closeTo }: { snapshot: VolumeSnapshot; closeTo: string }) {
  const t = useT('storage')
  const update = useCall(volumeSnapshots.update, {
    refresh: [volumeSnapshots.list, volumeSnapshots.view],
    done: ({ name }) => toast(t('snapshots.saved', { name })),
  })
  const { id, name, description } = snapshot
  return (
    <FormDialog
      title={t('snapshots.editTitle', { name })}
      verb={t('snapshots.save')}
      schema={snapshotForm}
      start={{ name, description }}
      send={(form) => update.run({ params: { id }, body: changeOf(snapshot, form) })}
      closeTo={closeTo}
      barredBecause={snapshotCan('rename', snapshot) ? undefined : barredByStatus(snapshot, t)}
    >
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <TextArea name="description" label={t('volumes.description')} isOptional rows={2} />
    </FormDialog>
  )
}
