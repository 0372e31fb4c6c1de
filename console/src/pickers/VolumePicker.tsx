import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Bytes } from '../ui/values/Bytes'
import { PickTable } from './PickTable'

export interface VolumePickerProps {
  chosen: readonly string[]
  onChoose: (volume: Volume, isChosen: boolean) => void
  isMultiple?: boolean
  disabledBecause?: ((volume: Volume) => string | undefined) | undefined
}

/** The project’s volumes that are not attached to an instance. */
export function VolumePicker({ chosen, onChoose, isMultiple = false, disabledBecause }: VolumePickerProps) {
  const t = useT('compute')
  const list = useList(volumes.list, volumeKind, { stateIn: 'memory', only: { status: 'exact:available' } })
  return (
    <PickTable
      label={t('pickers.volumesMany')}
      list={list}
      chosen={chosen}
      onChoose={onChoose}
      isMultiple={isMultiple}
      disabledBecause={disabledBecause}
      empty={t('pickers.noFreeVolumes')}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        { id: 'image', label: t('pickers.image'), isWide: true, render: ({ image_name }) => image_name ?? '–' },
        { id: 'size', label: t('pickers.size'), isAtEnd: true, render: ({ size }) => <Bytes of={size} /> },
      ]}
    />
  )
}
