import { quotas } from '@mainstay/contract/compute/quotas'
import { recycleBin, recycledItemKind, recycledKinds, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useRecycleDays } from '../../../patterns/recycle-bin/use-recycle-days'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Button } from '../../../ui/Button'
import { DeleteIcon } from '../../../ui/icons'
import { itemStatus, kindText } from './item-words'
import { recycleBinResource } from './resource'
import { useItemActions } from './use-item-actions'

const column = columns<RecycledItem>('recycleBin')
const itemColumns = [
  column.link('name', 'name', recycleBinResource.paths.view, { width: 220 }),
  column.node('kind', 'kind', (item, { t }) => kindText(item, t as Translate<'recycleBin'>), {
    width: 150,
    card: 'plain',
  }),
  column.status('status', 'status', (item, t) => itemStatus(item, t as Translate<'recycleBin'>), { width: 170 }),
  column.bytes('size', 'size', { width: 100 }),
  column.text('deleted_by', 'deletedBy', { width: 160, card: 'named' }),
  column.time('deleted_at', 'deletedAt', { width: 150 }),
  column.time('expires_at', 'expiresAt', { width: 150 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('description', 'description', { isHidden: true, width: 220 }),
  column.ownId(),
]

const filters = (t: Translate<'recycleBin'>): ListFilter[] => [
  {
    name: 'kind',
    label: t('kind'),
    operator: 'exact',
    options: recycledKinds.map((kind) => ({ value: kind, label: kindText({ kind }, t) })),
  },
  { name: 'name', label: t('name') },
  { name: 'deleted_by', label: t('deletedBy') },
]

/** `/compute/recycle-bin`: deleted objects that can be restored. */
export default function RecycleBinPage() {
  const t = useT('recycleBin')
  const list = useList(recycleBin.list, recycledItemKind)
  const days = useRecycleDays()
  const { actions, bulk } = useItemActions()
  return (
    <ResourceListPage
      resource={recycleBinResource}
      list={list}
      links={<EmptyBin hasItems={(list.rows?.length ?? 0) > 0} />}
      columns={itemColumns}
      actions={actions}
      filters={filters(t)}
      bulk={bulk}
      empty={days > 0 ? t('emptyFor', { days }) : t('emptyOff')}
    />
  )
}

/**
 * Permanently deletes everything in the current project's recycle bin. Hidden from users who see all projects; they
 * select items instead.
 */
function EmptyBin({ hasItems }: { hasItems: boolean }) {
  const t = useT('recycleBin')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const empty = useCall(recycleBin.empty, {
    refresh: [recycleBin.list, quotas.view],
    done: ({ count }) => toast(t('emptied', { count })),
  })
  if (isAllTenants || !hasItems || !may(recycleBin.empty.needs)) return null
  return (
    <Button
      icon={DeleteIcon}
      onPress={() =>
        void confirm({
          title: t('empty.title'),
          text: t('empty.text'),
          verb: t('empty.verb'),
          isDanger: true,
          typed: t('empty.typed'),
          run: (signal) => empty.run({ query: {} }, { signal }),
        })
      }
    >
      {t('empty.verb')}
    </Button>
  )
}
