import { useMemo } from 'react'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { attachedVolumeCanExtend } from '@mainstay/contract/storage/volume-rules'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Button } from '../../../ui/Button'
import { Dialog } from '../../../ui/overlays/Dialog'
import { extendForm } from './volume-form'
import { VolumeSizeWithQuota } from './VolumeSizeWithQuota'

interface ExtendVolumeDialogProps {
  volume: Volume
  onClose: () => void
}

/**
 * Extends a volume. An attached volume can be extended only while its virtual machine is active, paused or shut down.
 */
export function ExtendVolumeDialog({ volume, onClose }: ExtendVolumeDialogProps) {
  const t = useT('storage')
  const user = volume.attachments[0]
  const { data: instance } = useView(
    instances.view,
    { id: user?.server_id ?? '' },
    { kind: instanceKind, isEnabled: user !== undefined },
  )
  const extend = useCall(volumes.extend, { refresh: [volumes.list, volumes.view, quotas.view] })
  const schema = useMemo(() => extendForm(t, volume), [t, volume])
  const title = t('volumes.extendTitle', { name: volume.name })

  if (instance && !attachedVolumeCanExtend(instance))
    return (
      <Dialog isOpen title={title} onClose={onClose} footer={<Button onPress={onClose}>{t('volumes.close')}</Button>}>
        <p>{t('volumes.extendBarred', { name: instance.name })}</p>
      </Dialog>
    )
  return (
    <FormDialog
      place="middle"
      title={title}
      verb={t('volumes.extend')}
      schema={schema}
      start={{ size: volume.size + GiB }}
      send={({ size }) => extend.run({ params: { id: volume.id }, body: { event: 'extend', size } })}
      onClose={onClose}
    >
      <Fields volume={volume} />
    </FormDialog>
  )
}

function Fields({ volume }: { volume: Volume }) {
  const t = useT('storage')
  const format = useFormat()
  return (
    <VolumeSizeWithQuota
      label={t('volumes.newSize')}
      help={t(volume.status === 'in-use' ? 'volumes.extendHelpInUse' : 'volumes.extendHelp', {
        size: format.bytes(volume.size),
      })}
      leastBytes={volume.size + GiB}
      autoFocus
      projectId={volume.project_id}
      addedBytes={(size) => (size ?? volume.size) - volume.size}
    />
  )
}
