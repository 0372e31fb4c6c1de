import type { ReactNode } from 'react'
import { images, imageKind, type Image } from '@mainstay/contract/compute/images'
import { osDistros } from '@mainstay/contract/compute/image-rules'
import { GiB } from '@mainstay/contract/core/bytes'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { Bytes } from '../ui/values/Bytes'
import { PickTable } from './PickTable'

export interface ImagePickerProps {
  type: Image['type']
  chosen: string | null
  onChoose: (image: Image) => void
  /** Shown when there are no images. */
  emptyAction?: ReactNode
}

/** The smallest disk for an image in bytes: the larger of its declared minimum and unpacked size, at least 1 GiB. */
export const leastDiskBytes = ({ min_disk, virtual_size }: Pick<Image, 'min_disk' | 'virtual_size'>) =>
  Math.max(GiB, min_disk * GiB, Math.ceil((virtual_size ?? 0) / GiB) * GiB)

/** Images of one type. Inactive images cannot be selected. */
export function ImagePicker({ type, chosen, onChoose, emptyAction }: ImagePickerProps) {
  const t = useT('compute')
  const list = useList(images.list, imageKind, { stateIn: 'memory', only: { type: `exact:${type}` } })
  return (
    <PickTable
      label={t(type === 'iso' ? 'pickers.isoImages' : 'pickers.images')}
      list={list}
      chosen={chosen === null ? [] : [chosen]}
      onChoose={onChoose}
      disabledBecause={({ status }) => (status === 'active' ? undefined : t('pickers.imageNotReady', { status }))}
      empty={t(type === 'iso' ? 'pickers.noIsoImages' : 'pickers.noImages')}
      emptyAction={emptyAction}
      columns={[
        { id: 'name', label: t('pickers.name'), render: ({ name }) => name },
        {
          id: 'os',
          label: t('pickers.os'),
          isWide: true,
          render: ({ os_distro }) => osDistros.find(({ id }) => id === os_distro)?.name ?? os_distro,
        },
        {
          id: 'size',
          label: t('pickers.size'),
          isAtEnd: true,
          render: ({ size }) => (size === null ? '–' : <Bytes of={size} />),
        },
        {
          id: 'disk',
          label: t('pickers.minDisk'),
          isAtEnd: true,
          isWide: true,
          render: (image) => (type === 'iso' ? '–' : <Bytes of={leastDiskBytes(image)} />),
        },
      ]}
    />
  )
}
