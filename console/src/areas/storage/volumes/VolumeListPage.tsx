import { read } from '@mainstay/contract/core/endpoint'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { paths } from '../../../nav/paths'
import { AddLink } from '../../../patterns/AddLink'
import type { BulkAction } from '../../../patterns/bulk'
import { columns } from '../../../patterns/columns'
import type { ListFilter } from '../../../patterns/filter-text'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { DeleteIcon, ImageIcon } from '../../../ui/icons'
import { deleteBarred, useVolumeActions } from './use-volume-actions'
import { volumeStatus, volumeStatusText } from './volume-words'
import { VolumeUsers } from './VolumeUsers'

const column = columns<Volume>('storage')
const volumeColumns = [
  column.link('name', 'volumes.name', paths.volumes.view, { width: 220 }),
  column.status('status', 'volumes.status', volumeStatus, { width: 150 }),
  column.bytes('size', 'volumes.size', { width: 90 }),
  column.node(
    'attachments',
    'volumes.attachedTo',
    ({ attachments }, { tabIndex }) => <VolumeUsers attachments={attachments} tabIndex={tabIndex} />,
    { width: 220 },
  ),
  column.node('bootable', 'volumes.bootable', ({ bootable }, { t }) => t(bootable ? 'volumes.yes' : 'volumes.no'), {
    width: 90,
  }),
  column.text('storage_policy_name', 'volumes.policy', { width: 130 }),
  column.project('project_id', { width: 110 }),
  column.domain('domain_id'),
  column.text('image_name', 'volumes.image', { isHidden: true }),
  column.text('description', 'volumes.description', { isHidden: true, width: 220 }),
  column.time('created_at', 'volumes.created', { isHidden: true }),
  column.time('updated_at', 'volumes.updated', { isHidden: true }),
  column.id('id', 'volumes.id', { isHidden: true }),
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
  const remove = useCall(volumes.delete, { refresh: [volumes.list, quotas.view] })
  const { actions, dialog } = useVolumeActions()
  const add = (
    <AddLink to={paths.volumes.add()} needs={volumes.create.needs}>
      {t('volumes.create')}
    </AddLink>
  )

  const bulk: BulkAction<Volume>[] = [
    {
      label: t('volumes.delete'),
      icon: DeleteIcon,
      isDanger: true,
      ask: (count) => t('volumes.deleteMany', { count }),
      note: t('volumes.deleteNote'),
      verb: (count) => t('volumes.deleteManyVerb', { count }),
      done: (count) => t('volumes.deleted', { count }),
      skippedBecause: (volume) => deleteBarred(volume, t),
      run: ({ id }, signal) => remove.run({ params: { id } }, { signal }),
    },
  ]

  return (
    <Page
      title={t('volumes.title')}
      isFilled
      actions={
        <>
          {/* the menu has no images: they are reached from what is made of them */}
          {may(read('compute_images')) && (
            <Link to={paths.images.list()} className={buttonClass({ variant: 'quiet' })}>
              <ImageIcon />
              <span>{t('volumes.images')}</span>
            </Link>
          )}
          {add}
        </>
      }
    >
      <ResourceTable
        list={list}
        label={t('volumes.many')}
        columns={volumeColumns}
        actions={actions}
        filters={filters(t)}
        bulk={may(volumes.delete.needs) ? bulk : []}
        empty={t('volumes.empty')}
        emptyAction={add}
      />
      {dialog}
    </Page>
  )
}
