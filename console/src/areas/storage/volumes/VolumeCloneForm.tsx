import { useMemo } from 'react'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { Banner } from '../../../ui/feedback/Banner'
import { cloneForm } from './volume-form'
import { VolumeOfAddress } from './VolumeOfAddress'
import { VolumeSizeWithQuota } from './VolumeSizeWithQuota'

/** Clones the volume in the URL. */
export default function VolumeCloneForm() {
  const t = useT('storage')
  return (
    <VolumeOfAddress title={t('volumes.clone')}>
      {(volume, closeTo) => <Form volume={volume} closeTo={closeTo} />}
    </VolumeOfAddress>
  )
}

function Form({ volume, closeTo }: { volume: Volume; closeTo: string }) {
  const t = useT('storage')
  const clone = useCall(volumes.clone, { refresh: [volumes.list, volumes.view, quotas.view] })
  const schema = useMemo(() => cloneForm(t, volume), [t, volume])
  return (
    <FormDialog
      title={t('volumes.cloneTitle', { name: volume.name })}
      verb={t('volumes.clone')}
      schema={schema}
      start={{ name: `${volume.name}-clone`.slice(0, 255), size: volume.size }}
      send={(body) => clone.run({ params: { id: volume.id }, body })}
      closeTo={closeTo}
    >
      {volume.attachments.length > 0 && (
        <Banner tone="warn" title={t('volumes.cloneInUse')}>
          {t('volumes.cloneInUseText')}
        </Banner>
      )}
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <Size volume={volume} />
    </FormDialog>
  )
}

function Size({ volume }: { volume: Volume }) {
  const t = useT('storage')
  const format = useFormat()
  return (
    <VolumeSizeWithQuota
      label={t('volumes.size')}
      help={t('volumes.cloneSizeHelp', { size: format.bytes(volume.size) })}
      leastBytes={volume.size}
      addedVolumes={1}
      addedBytes={(size) => size ?? 0}
    />
  )
}
