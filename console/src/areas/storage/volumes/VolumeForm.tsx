import { useMemo, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import type { Image } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { snapshotCan } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { MIN_VOLUME_BYTES, volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox, RadioCards, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { useMay } from '../../../session/may'
import { Disclosure } from '../../../ui/Disclosure'
import { ImageIcon, SnapshotIcon, VolumeIcon } from '../../../ui/icons'
import { barredByStatus } from '../snapshots/snapshot-words'
import { SnapshotChoice } from '../snapshots/SnapshotChoice'
import { ImageChoice } from './ImageChoice'
import {
  emptyVolumeForm,
  leastSizeOf,
  leastSizeOfSnapshot,
  sizeHelp,
  volumeDraftOf,
  volumeForm,
  type VolumeForm as Values,
} from './volume-form'
import css from './VolumeForm.module.css'
import { VolumeSizeWithQuota } from './VolumeSizeWithQuota'

interface VolumeFormProps {
  /** A preselected image that cannot be changed. */
  image?: Image | undefined
  /** A preselected snapshot that cannot be changed. */
  snapshot?: VolumeSnapshot | undefined
  closeTo: string
}

/** Creates a volume: blank, from an image or from a snapshot. */
export function VolumeForm({ image, snapshot, closeTo }: VolumeFormProps) {
  const t = useT('storage')
  const isGiven = image !== undefined || snapshot !== undefined
  const create = useCall(volumes.create, { refresh: [volumes.list, quotas.view] })
  const schema = useMemo(() => volumeForm(t), [t])

  return (
    <FormDialog
      title={
        image
          ? t('volumes.createFrom', { name: image.name })
          : snapshot
            ? t('snapshots.volumeTitle', { name: snapshot.name })
            : t('volumes.add')
      }
      verb={t('volumes.add')}
      schema={schema}
      start={emptyVolumeForm({ image, snapshot })}
      send={(form) => create.run({ body: volumeDraftOf(form) })}
      closeTo={closeTo}
      barredBecause={snapshot && !snapshotCan('copy', snapshot) ? barredByStatus(snapshot, t) : undefined}
    >
      {!isGiven && <SourceFields />}
      {/* without a preselected source, the source field comes first */}
      <TextField name="name" label={t('volumes.name')} autoFocus={isGiven} />
      <SizeFields />
      <Advanced />
    </FormDialog>
  )
}

function SourceFields() {
  const t = useT('storage')
  const may = useMay()
  const { setValue, getValues } = useFormContext<Values>()
  const source = useWatched<Values['source']>('source')
  const [image, setImage] = useState<Image | null>(null)
  const [snapshot, setSnapshot] = useState<VolumeSnapshot | null>(null)
  const [suggested, setSuggested] = useState('')

  /** Suggests the name and the size of the selected image or snapshot. */
  function suggest(name: string, least: number) {
    if (['', suggested].includes(getValues('name'))) setValue('name', name, { shouldValidate: true })
    setSuggested(name)
    // never reduce the size that the user has entered
    if (getValues('size') < least) setValue('size', least, { shouldValidate: true })
  }
  function chooseImage(next: Image | null) {
    setImage(next)
    setValue('image_least', leastSizeOf(next))
    if (next) suggest(next.name, leastSizeOf(next))
  }
  function chooseSnapshot(next: VolumeSnapshot | null) {
    setSnapshot(next)
    setValue('snapshot_least', leastSizeOfSnapshot(next))
    if (next) suggest(next.name, leastSizeOfSnapshot(next))
  }

  const ofSnapshot = {
    id: 'snapshot' as const,
    label: t('snapshots.one'),
    description: t('snapshots.sourceHelp'),
    icon: SnapshotIcon,
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
          ...(may(volumeSnapshots.list.needs) ? [ofSnapshot] : []),
        ]}
      />
      {source === 'image' && <ImageChoice label={t('volumes.image')} chosen={image} onChoose={chooseImage} />}
      {source === 'snapshot' && (
        <SnapshotChoice label={t('snapshots.one')} chosen={snapshot} onChoose={chooseSnapshot} />
      )}
    </>
  )
}

function SizeFields() {
  const t = useT('storage')
  const source = useWatched<Values['source']>('source')
  const imageId = useWatched<string | null>('image_id')
  const imageLeast = useWatched<number>('image_least')
  const snapshotId = useWatched<string | null>('snapshot_id')
  const snapshotLeast = useWatched<number>('snapshot_least')
  const least =
    source === 'image' && imageId !== null
      ? imageLeast
      : source === 'snapshot' && snapshotId !== null
        ? snapshotLeast
        : undefined
  return (
    <VolumeSizeWithQuota
      label={t('volumes.size')}
      help={least !== undefined && sizeHelp({ source, image_least: imageLeast, snapshot_least: snapshotLeast }, t)}
      leastBytes={least ?? MIN_VOLUME_BYTES}
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
