import { useMemo, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { InProject } from '../../../patterns/InProject'
import { Banner } from '../../../ui/feedback/Banner'
import { InfoIcon } from '../../../ui/icons'
import { proposedName } from '../snapshots/snapshot-form'
import { backupForm, type BackupForm } from './backup-form'
import { PointFields } from './PointFields'
import { volumeBackupResource } from './resource'
import { VolumeChoice } from './VolumeChoice'

const { paths } = volumeBackupResource

/** `recovery-points/add`: creates a recovery point of a volume. */
export default function BackupAddForm() {
  return (
    <InProject closeTo={paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('storage')
  const create = useCall(volumeBackups.create, {
    refresh: [volumeBackups.list, volumes.list, volumes.view, quotas.view],
  })
  const schema = useMemo(() => backupForm(t), [t])
  return (
    <FormDialog
      title={t('backups.add')}
      verb={t('backups.add')}
      schema={schema}
      start={{ volume_id: null as unknown as string, name: '', description: '', full: false }}
      send={(body) => create.run({ body })}
      closeTo={paths.list()}
    >
      <VolumeFields />
      <PointFields />
    </FormDialog>
  )
}

/** The volume and the name, which is proposed when a volume is chosen. */
function VolumeFields() {
  const t = useT('storage')
  const { setValue, getValues } = useFormContext<BackupForm>()
  const [volume, setVolume] = useState<Volume | null>(null)
  const [proposed, setProposed] = useState('')

  function choose(next: Volume | null) {
    setVolume(next)
    if (!next) return
    const name = proposedName(next.name)
    // never replace a name that the user has entered
    if (['', proposed].includes(getValues('name'))) setValue('name', name, { shouldValidate: true })
    setProposed(name)
  }
  return (
    <>
      <VolumeChoice label={t('volumes.one')} chosen={volume} onChoose={choose} />
      <TextField name="name" label={t('volumes.name')} />
      {volume !== null && volume.attachments.length > 0 && (
        <Banner tone="idle" icon={InfoIcon}>
          {t('backups.inUse')}
        </Banner>
      )}
    </>
  )
}
