import type { ReactNode } from 'react'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import type { Named, ResourceOf } from '../../nav/resource'
import { useMay } from '../../session/may'
import { DeleteIcon } from '../../ui/icons'
import type { BulkAction } from '../bulk-run/bulk'
import { confirmDelete } from '../dialogs/confirm-delete'
import type { RowAction } from '../table/row-action'
import { useResourceText } from './use-resource-text'

export interface RemovalSettings<Item> {
  /** Side effects of the deletion, shown below the question. */
  note?: string | undefined
  /** Side effects that depend on the object. */
  noteOfOne?: (item: Item) => ReactNode
  /** Side effects that depend on the selected objects. */
  noteOfMany?: (items: readonly Item[], isPermanent: boolean) => ReactNode
  /** Objects go to the recycle bin, so the bulk actions also offer permanent deletion. */
  isRecycled?: boolean
  /** Why an object cannot be deleted now. */
  barredBecause?: ((item: Item) => string | undefined) | undefined
  /** Why an object is left out of bulk deletion, if it differs from `barredBecause`. */
  skippedBecause?: (item: Item) => string | undefined
  /** Lists and views that a deletion makes stale, in addition to the resource's list. */
  refresh?: readonly Endpoint[]
  /** Called after an object has been deleted from its details. */
  deleted?: (() => void) | undefined
  /** Query parameters for the call. */
  query?: Record<string, string>
  /** Replaces the default confirmation; resolves to true if the object was deleted. */
  ask?: (item: Item) => Promise<boolean>
}

export interface Removal<Item extends Named> {
  /** Menu items for one object; empty without the permission. */
  action: (item: Item) => RowAction[]
  /** Bulk actions; empty without the permission. */
  bulk: BulkAction<Item>[]
}

const noneToCall: Endpoint = { verb: 'DELETE', path: '/', needs: 'signed-in', summary: '', reply: undefined as never }

/** Standard delete actions for one object and for many. */
export function useDeleteActions<Item extends Named>(
  resource: ResourceOf<Item>,
  settings: RemovalSettings<Item> = {},
): Removal<Item> {
  const { note, barredBecause, refresh = [], deleted } = settings
  const say = useResourceText(resource)
  const t = useT('patterns')
  const may = useMay()
  const endpoint: Endpoint = resource.calls.delete ?? noneToCall
  const call = useCall(endpoint, { refresh: [resource.calls.list, ...refresh] })
  const run = ({ id }: Item, signal: AbortSignal) =>
    call.run({ params: { id }, query: settings.query } as never, { signal })
  if (!resource.calls.delete || !may(endpoint.needs)) return { action: () => [], bulk: [] }

  const askPlainly = (item: Item) =>
    confirmDelete({
      title: say('deleteOne', { name: item.name }),
      verb: say('deleteOneVerb'),
      text: settings.noteOfOne?.(item) ?? note,
      run: (signal) => run(item, signal),
    })

  const { noteOfMany } = settings
  const many = (label: string, isPermanent: boolean): BulkAction<Item> => {
    const query = { ...settings.query, ...(settings.isRecycled && isPermanent && { permanent: 'true' }) }
    return {
      label,
      icon: DeleteIcon,
      isDanger: true,
      ask: (count) => say('deleteMany', { count }),
      note: noteOfMany ? (items) => noteOfMany(items, isPermanent) : note,
      verb: (count) => say('deleteManyVerb', { count }),
      skippedBecause: settings.skippedBecause ?? barredBecause,
      call: { action: 'delete', ...(Object.keys(query).length > 0 && { query }) },
    }
  }

  return {
    action: (item) => [
      {
        label: t('delete'),
        icon: DeleteIcon,
        group: 'delete',
        isDanger: true,
        disabledBecause: barredBecause?.(item),
        about: { call: `${resource.called ?? resource.words}.delete`, thing: item },
        run: () => void (settings.ask ?? askPlainly)(item).then((isDone) => isDone && deleted?.()),
      },
    ],
    bulk: settings.isRecycled
      ? [many(t('delete'), false), { ...many(t('deleteForGood'), true), isRare: true }]
      : [many(t('delete'), true)],
  }
}
