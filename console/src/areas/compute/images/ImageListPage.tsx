import { diskFormats } from '@mainstay/contract/compute/image-file-types'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { columns } from '../../../patterns/table/columns'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { DownloadIcon } from '../../../ui/icons'
import { Amount } from '../../../ui/values/Bytes'
import { PlacementNames } from '../placements/PlacementNames'
import { usePlacementFilters } from '../placements/use-placements'
import { distroName, firmwareText, imageStatus, imageTypeText } from './image-words'
import { ImageAccess } from './ImageAccess'
import { imageResource } from './resource'
import { useImageActions } from './use-image-actions'

const column = columns<Image>('images')
const imageColumns = [
  column.link('name', 'images.name', imageResource.paths.view, { width: 180 }),
  column.status('status', 'images.status', imageStatus, { width: 130 }),
  column.node('type', 'images.type', (image, { t }) => imageTypeText(image, t), { width: 90, card: 'plain' }),
  column.node('os_distro', 'images.distro', ({ os_distro: id }) => distroName(id), { width: 165, card: 'plain' }),
  column.bytes('size', 'images.size', { width: 90 }),
  column.node('visibility', 'images.access', (image) => <ImageAccess image={image} />, { width: 180 }),
  column.created('created_at', { width: 110 }),
  column.project('project_id'),
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
  column.node('traits', 'images.placements', ({ traits }) => <PlacementNames ids={traits} />, {
    isHidden: true,
    isForAllTenants: true,
  }),
  column.updated('updated_at'),
  column.ownId(),
]

const filters = (t: Translate<'images'>): ListFilter[] => [
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
  const t = useT('images')
  const list = useList(images.list, imageKind)
  const placementFilters = usePlacementFilters()
  const may = useMay()
  const { actions, bulk, dialog } = useImageActions()
  const toSources = may(images.create.needs) && (
    <Link to={`${imageResource.paths.list()}/sources`} keepsSearch className={buttonClass({ variant: 'quiet' })}>
      <DownloadIcon />
      <span>{t('images.sources')}</span>
    </Link>
  )
  return (
    <ResourceListPage
      resource={imageResource}
      list={list}
      links={toSources}
      columns={imageColumns}
      actions={actions}
      filters={[...filters(t), ...placementFilters]}
      bulk={bulk}
    >
      {dialog}
    </ResourceListPage>
  )
}
