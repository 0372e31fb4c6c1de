import { useMemo, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import type { Image } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { MIN_VOLUME_BYTES, volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Checkbox, RadioCards, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { Disclosure } from '../../../ui/Disclosure'
import { ImageIcon, VolumeIcon } from '../../../ui/icons'
import { ImageChoice } from './ImageChoice'
import { volumeDraftOf, emptyVolumeForm, leastSizeOf, volumeForm, type VolumeForm as Values } from './volume-form'
import css from './VolumeForm.module.css'
import { VolumeSizeWithQuota } from './VolumeSizeWithQuota'

interface VolumeFormProps {
  /** A preselected image that cannot be changed. */
  image?: Image | undefined
  closeTo: string
}

/** Creates a volume, either blank or from an image. */
export function VolumeForm({ image: given, closeTo }: VolumeFormProps) {
  const t = useT('storage')
  const create = useCall(volumes.create, { refresh: [volumes.list, quotas.view] })
  const schema = useMemo(() => volumeForm(t), [t])

  return (
    <FormDialog
      title={given ? t('volumes.createFrom', { name: given.name }) : t('volumes.add')}
      verb={t('volumes.add')}
      schema={schema}
      start={emptyVolumeForm(given)}
      send={(form) => create.run({ body: volumeDraftOf(form) })}
      closeTo={closeTo}
    >
      {!given && <SourceFields />}
      {/* without a preselected image, the source field comes first */}
      <TextField name="name" label={t('volumes.name')} autoFocus={given !== undefined} />
      <SizeFields />
      <Advanced />
    </FormDialog>
  )
}

function SourceFields() {
  const t = useT('storage')
  const { setValue, getValues } = useFormContext<Values>()
  const source = useWatched<Values['source']>('source')
  const [image, setImage] = useState<Image | null>(null)

  function choose(next: Image | null) {
    const suggested = image?.name ?? ''
    setImage(next)
    const least = leastSizeOf(next)
    setValue('image_least', least)
    if (!next) return
    if (['', suggested].includes(getValues('name'))) setValue('name', next.name, { shouldValidate: true })
    // never reduce the size that the user has entered
    if (getValues('size') < least) setValue('size', least, { shouldValidate: true })
  }

  return (
    <>
      <RadioCards
        name="source"
        label={t('volumes.source')}
        isGrid
        items={[
          { id: 'blank', label: t('volumes.blank'), description: t('volumes.blankHelp'), icon: VolumeIcon },
          { id: 'image', label: t('volumes.image'), description: t('volumes.imageHelp'), icon: ImageIcon },
        ]}
      />
      {source === 'image' && <ImageChoice label={t('volumes.image')} chosen={image} onChoose={choose} />}
    </>
  )
}

function SizeFields() {
  const t = useT('storage')
  const format = useFormat()
  const source = useWatched<Values['source']>('source')
  const imageId = useWatched<string | null>('image_id')
  const imageLeast = useWatched<number>('image_least')
  const isOfImage = source === 'image' && imageId !== null
  return (
    <VolumeSizeWithQuota
      label={t('volumes.size')}
      help={isOfImage && t('volumes.sizeHelp', { size: format.bytes(imageLeast) })}
      leastBytes={isOfImage ? imageLeast : MIN_VOLUME_BYTES}
      addedVolumes={1}
      addedBytes={(size) => size ?? 0}
    />
  )
}

function Advanced() {
  const t = useT('storage')
  const source = useWatched<Values['source']>('source')
  const isBootable = useWatched<boolean>('bootable')
  const description = useWatched<string>('description')
  const summary = [description, ...(source === 'blank' && isBootable ? [t('volumes.bootable')] : [])].filter(Boolean)
  return (
    <Disclosure title={t('volumes.advanced')} summary={summary.join(', ')}>
      <div className={css.fields}>
        {source === 'blank' && (
          <Checkbox name="bootable" help={t('volumes.bootableHelp')}>
            {t('volumes.bootableChoice')}
          </Checkbox>
        )}
        <TextArea name="description" label={t('volumes.description')} isOptional rows={2} />
      </div>
    </Disclosure>
  )
}
