import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { MAX_VOLUME_BYTES, StorageSize, volumes } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { SizeField } from '../../../../patterns/form/SizeField'

interface ExtendVolumeFormProps {
  volume: Instance['volumes'][number]
  onClose: () => void
}

/** Extends a volume. Volumes cannot shrink, and the guest has to extend its file system itself. */
export function ExtendVolumeForm({ volume: { id, name, size }, onClose }: ExtendVolumeFormProps) {
  const t = useT('instance')
  const extend = useCall(volumes.extend, { refresh: [volumes.list, instances.list] })
  const schema = z.object({ size: StorageSize.refine((bytes) => bytes > size, t('instances.extend.larger')) })
  return (
    <FormDialog
      title={t('instances.extend.title', { name })}
      verb={t('instances.extend.verb')}
      schema={schema}
      start={{ size: size + GiB }}
      send={(body) => extend.run({ params: { id }, body: { event: 'extend', ...body } })}
      onClose={onClose}
      place="middle"
    >
      <SizeField
        name="size"
        label={t('instances.size')}
        minValue={size / GiB + 1}
        maxValue={MAX_VOLUME_BYTES / GiB}
        help={t('instances.extend.help', { now: size / GiB })}
        autoFocus
      />
    </FormDialog>
  )
}
