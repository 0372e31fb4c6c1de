import { diskFormats } from '@mainstay/contract/compute/image-rules'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { AddLink } from '../../../patterns/AddLink'
import type { BulkAction } from '../../../patterns/bulk'
import { columns } from '../../../patterns/columns'
import type { ListFilter } from '../../../patterns/filter-text'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import { useMay } from '../../../session/may'
import { Amount } from '../../../ui/Bytes'
import { DeleteIcon } from '../../../ui/icons'
import { PlacementNames } from '../placements/PlacementNames'
import { usePlacementFilters } from '../placements/use-placements'
import { distroName, firmwareText, imageStatus, imageTypeText } from './image-words'
import { ImageAccess } from './ImageAccess'
import { deleteBarred, useImageActions, useOwnsImage } from './use-image-actions'

const column = columns<Image>('compute')
const imageColumns = [
  column.link('name', 'images.name', paths.images.view, { width: 180 }),
  column.status('status', 'images.status', imageStatus, { width: 130 }),
  column.node('type', 'images.type', (image, { t }) => imageTypeText(image, t), { width: 90 }),
  column.node('os_distro', 'images.distro', ({ os_distro: id }) => distroName(id), { width: 165 }),
  column.bytes('size', 'images.size', { width: 80 }),
  column.node('visibility', 'images.access', (image) => <ImageAccess image={image} />, { width: 180 }),
  column.time('created_at', 'images.created', { width: 110 }),
  column.project('project_id', { width: 110 }),
  column.domain('domain_id'),
  column.text('disk_format', 'images.format', { isHidden: true, width: 110 }),
  column.bytes('virtual_size', 'images.virtualSize', { isHidden: true, width: 120 }),
  column.node('min_disk', 'images.minDisk', ({ min_disk: disk }) => <Amount of={disk} unit="GiB" />, {
    isHidden: true,
    isAtEnd: true,
    width: 120,
  }),
  column.node('min_ram', 'images.minRam', ({ min_ram: ram }) => <Amount of={ram} unit="MiB" />, {
    isHidden: true,
    isAtEnd: true,
    width: 120,
  }),
  column.node('hw_firmware_type', 'images.firmware', (image, { t }) => firmwareText(image, t), {
    isHidden: true,
    width: 200,
  }),
  column.node('traits', 'placements.title', ({ traits }) => <PlacementNames ids={traits} />, {
    isHidden: true,
    isForAllTenants: true,
  }),
  column.time('updated_at', 'images.updated', { isHidden: true }),
  column.id('id', 'images.id', { isHidden: true }),
]

const filters = (t: Translate<'compute'>): ListFilter[] => [
  {
    name: 'status',
    label: t('images.status'),
    options: [
      { value: 'active', label: t('images.active') },
      { value: 'uploading', label: t('images.uploading') },
      { value: 'importing', label: t('images.importing') },
      { value: 'deactivated', label: t('images.deactivated') },
      { value: 'error', label: t('images.error') },
    ],
  },
  {
    name: 'type',
    label: t('images.type'),
    options: [
      { value: 'iso', label: t('images.iso') },
      { value: 'template', label: t('images.template') },
    ],
  },
  {
    name: 'os_type',
    label: t('images.osFamily'),
    options: [
      { value: 'linux', label: 'Linux' },
      { value: 'windows', label: 'Windows' },
    ],
  },
  {
    name: 'visibility',
    label: t('images.access'),
    options: [
      { value: 'private', label: t('images.private') },
      { value: 'public', label: t('images.public') },
    ],
  },
  {
    name: 'disk_format',
    label: t('images.format'),
    options: diskFormats.map((value) => ({ value, label: value })),
  },
  { name: 'name', label: t('images.name') },
  { name: 'tags', label: t('images.tags'), operator: 'any' },
]

export default function ImageListPage() {
  const t = useT('compute')
  const may = useMay()
  const owns = useOwnsImage()
  const list = useList(images.list, imageKind)
  const placementFilters = usePlacementFilters()
  const remove = useCall(images.delete, { refresh: [images.list] })
  const { actions, dialog } = useImageActions()
  const add = (
    <AddLink to={paths.images.add()} needs={images.create.needs}>
      {t('images.add')}
    </AddLink>
  )

  const bulk: BulkAction<Image>[] = [
    {
      label: t('delete'),
      icon: DeleteIcon,
      isDanger: true,
      ask: (count) => t('images.deleteMany', { count }),
      note: t('images.deleteNote'),
      verb: (count) => t('images.deleteManyVerb', { count }),
      done: (count) => t('images.deleted', { count }),
      skippedBecause: (image) => (owns(image) ? deleteBarred(image, t) : t('images.notOwn')),
      run: ({ id }, signal) => remove.run({ params: { id } }, { signal }),
    },
  ]

  return (
    <Page title={t('images.title')} actions={add} isFilled>
      <ResourceTable
        list={list}
        label={t('images.many')}
        columns={imageColumns}
        actions={actions}
        filters={[...filters(t), ...placementFilters]}
        bulk={may(images.delete.needs) ? bulk : []}
        empty={t('images.empty')}
        emptyAction={add}
      />
      {dialog}
    </Page>
  )
}
