import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { recycleBin, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { textsNow, useT } from '../../../i18n/use-t'
import type { BulkAction } from '../../../patterns/bulk-run/bulk'
import { confirm } from '../../../patterns/dialogs/confirm'
import { tellRestored } from '../../../patterns/recycle-bin/tell-recycled'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon, RestoreIcon } from '../../../ui/icons'

/**
 * Actions for items in the recycle bin. `left`: called when an item has been restored, or deleted from its details
 * page.
 */
export function useItemActions({ left }: { left?: () => void } = {}) {
  const t = useT('recycleBin')
  const may = useMay()
  const restore = useCall(recycleBin.restore, {
    refresh: [recycleBin.list, instances.list, volumes.list, quotas.view],
    done: tellRestored,
  })
  const remove = useCall(recycleBin.delete, { refresh: [recycleBin.list, quotas.view] })
  const barred = ({ status }: RecycledItem) => (status === 'deleting' ? t('barred') : undefined)

  async function restoreNow({ id, name }: RecycledItem) {
    try {
      await restore.run({ params: { id }, body: {} })
      left?.()
    } catch (thrown) {
      const { notifyError: tellProblem } = await import('../../../notices/notify-error')
      tellProblem(thrown, textsNow('recycleBin')('restoreFailed', { name }))
    }
  }

  const askDelete = (item: RecycledItem) =>
    void confirm({
      title: t('delete.title', { kind: item.kind, name: item.name }),
      text: t('delete.text', { count: item.volumes.length }),
      verb: t('deleteForGood'),
      isDanger: true,
      typed: item.name,
      run: (signal) => remove.run({ params: { id: item.id } }, { signal }),
    }).then((isDone) => isDone && left?.())

  const actions = (item: RecycledItem): RowAction[] => [
    ...(may(recycleBin.restore.needs)
      ? [
          {
            label: t('restore'),
            icon: RestoreIcon,
            isLikely: true,
            disabledBecause: barred(item),
            run: () => void restoreNow(item),
          },
        ]
      : []),
    ...(may(recycleBin.delete.needs)
      ? [
          {
            label: t('deleteForGood'),
            icon: DeleteIcon,
            group: 'delete' as const,
            isDanger: true,
            disabledBecause: barred(item),
            run: () => askDelete(item),
          },
        ]
      : []),
  ]

  const bulk: BulkAction<RecycledItem>[] = [
    ...(may(recycleBin.restore.needs)
      ? [
          {
            label: t('restore'),
            icon: RestoreIcon,
            ask: (count: number) => t('restoreMany', { count }),
            verb: (count: number) => t('restoreManyVerb', { count }),
            skippedBecause: barred,
            call: { action: 'restore', body: {} },
          },
        ]
      : []),
    ...(may(recycleBin.delete.needs)
      ? [
          {
            label: t('deleteForGood'),
            icon: DeleteIcon,
            isDanger: true,
            ask: (count: number) => t('items.deleteMany', { count }),
            note: t('deleteMany.text'),
            verb: (count: number) => t('items.deleteManyVerb', { count }),
            skippedBecause: barred,
            call: { action: 'delete' },
          },
        ]
      : []),
  ]
  return { actions, bulk }
}
