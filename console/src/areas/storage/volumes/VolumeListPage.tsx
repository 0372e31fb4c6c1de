import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { columns } from '../../../patterns/table/columns'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { ImageIcon } from '../../../ui/icons'
import { imageResource } from '../../compute/images/resource'
import { volumeResource } from './resource'
import { useVolumeActions } from './use-volume-actions'
import { volumeStatus, volumeStatusText } from './volume-words'
import { VolumeUsers } from './VolumeUsers'

const column = columns<Volume>('storage')
const volumeColumns = [
  column.link('name', 'volumes.name', volumeResource.paths.view, { width: 220 }),
  column.status('status', 'volumes.status', volumeStatus, { width: 150 }),
  column.bytes('size', 'volumes.size', { width: 90 }),
  column.node(
    'attachments',
    'volumes.attachedTo',
    ({ attachments }, { tabIndex }) => <VolumeUsers attachments={attachments} tabIndex={tabIndex} />,
    { width: 220, card: 'plain' },
  ),
  column.node('bootable', 'volumes.bootable', ({ bootable }, { t }) => t(bootable ? 'volumes.yes' : 'volumes.no'), {
    width: 90,
  }),
  column.text('storage_policy_name', 'volumes.policy', { width: 130 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('image_name', 'volumes.image', { isHidden: true }),
  column.text('description', 'volumes.description', { isHidden: true, width: 220 }),
  column.created('created_at', { isHidden: true }),
  column.updated('updated_at'),
  column.ownId(),
]

const filteredStatuses = ['available', 'in-use', 'creating', 'attaching', 'detaching', 'extending', 'deleting', 'error']

const filters = (t: Translate<'storage'>): ListFilter[] => {
  const yesOrNo = [
    { value: 'true', label: t('volumes.yes') },
    { value: 'false', label: t('volumes.no') },
  ]
  return [
    {
      name: 'status',
      label: t('volumes.status'),
      options: filteredStatuses.map((value) => ({ value, label: volumeStatusText(value, t) })),
    },
    { name: 'attached', label: t('volumes.isAttached'), options: yesOrNo },
    { name: 'bootable', label: t('volumes.bootable'), options: yesOrNo },
    { name: 'name', label: t('volumes.name') },
    { name: 'storage_policy', label: t('volumes.policy'), operator: 'exact' },
  ]
}

export default function VolumeListPage() {
  const t = useT('storage')
  const may = useMay()
  const list = useList(volumes.list, volumeKind)
  const { actions, bulk, dialog } = useVolumeActions()
  // images have no menu entry, so link to them from here
  const toImages = may(imageResource.calls.list.needs) && (
    <Link to={imageResource.paths.list()} className={buttonClass({ variant: 'quiet' })}>
      <ImageIcon />
      <span>{t('volumes.images')}</span>
    </Link>
  )
  return (
    <ResourceListPage
      resource={volumeResource}
      list={list}
      links={toImages}
      columns={volumeColumns}
      actions={actions}
      filters={filters(t)}
      bulk={bulk}
    >
      {dialog}
    </ResourceListPage>
  )
}
